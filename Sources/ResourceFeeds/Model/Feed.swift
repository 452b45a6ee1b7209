public import Foundation

/// A feed in RSS, Atom or JSON Feed.
///
/// A property that is missing or can't be read is `nil` or empty; a broken element affects nothing
/// else. Every URL is an absolute `http` or `https` URL; links of other schemes, such as
/// `javascript:` and `file:`, are left out.
public struct Feed: Sendable, Hashable {
  /// The title as plain text on one line.
  public var title: String?

  /// The web page of the feed.
  public var link: URL?

  /// The description, as plain text on one line.
  public var summary: String?

  /// The people who write the feed.
  public var authors: [Person]

  /// When the feed last changed.
  public var updated: Date?

  /// The items in the order of the document.
  public var items: [Item]

  /// The URL of older items: `next_url` of JSON Feed, or a link of the relation `next` (RFC 5005).
  ///
  /// `nil` if its origin isn't the document's, so that a feed can't make its reader send requests
  /// elsewhere.
  public var nextPage: URL?

  /// The categories of the feed itself, each as plain text on one line. Podcasts have categories
  /// here rather than in their items.
  public var categories: [String]

  /// Every Atom link of the feed with its relation, including those in RSS.
  public var links: [Link]

  /// Creates a feed from its parts.
  public init(
    title: String? = nil, link: URL? = nil, summary: String? = nil, authors: [Person] = [],
    updated: Date? = nil, items: [Item] = [], nextPage: URL? = nil, categories: [String] = [],
    links: [Link] = []
  ) {
    self.title = title
    self.link = link
    self.summary = summary
    self.authors = authors
    self.updated = updated
    self.items = items
    self.nextPage = nextPage
    self.categories = categories
    self.links = links
  }
}

extension Feed {
  /// One entry of a feed.
  public struct Item: Sendable, Hashable {
    /// The id that distinguishes the item from others of its feed, as it is in the feed. It can be
    /// any text.
    public var id: String?

    /// The title as plain text on one line.
    public var title: String?

    /// The page on which the item can be read.
    public var link: URL?

    /// The people who wrote the item.
    public var authors: [Person]

    /// When the item was published.
    public var published: Date?

    /// When the item last changed.
    public var updated: Date?

    /// The content, or otherwise the summary.
    public var content: Text?

    /// A short text.
    public var summary: Text?

    /// The files that belong to the item.
    public var enclosures: [Enclosure]

    /// The categories or tags, each as plain text on one line.
    public var categories: [String]

    /// Every Atom link of the item with its relation, including those in RSS.
    public var links: [Link]

    /// Creates an item from its parts.
    public init(
      id: String? = nil, title: String? = nil, link: URL? = nil, authors: [Person] = [],
      published: Date? = nil, updated: Date? = nil, content: Text? = nil, summary: Text? = nil,
      enclosures: [Enclosure] = [], categories: [String] = [], links: [Link] = []
    ) {
      self.id = id
      self.title = title
      self.link = link
      self.authors = authors
      self.published = published
      self.updated = updated
      self.content = content
      self.summary = summary
      self.enclosures = enclosures
      self.categories = categories
      self.links = links
    }

    /// The date of publication, or otherwise of the last change.
    public var date: Date? { published ?? updated }
  }

  /// A person or an organisation.
  public struct Person: Sendable, Hashable {
    /// The name as plain text on one line.
    public var name: String?

    /// The mail address.
    public var email: String?

    /// The person's page.
    public var url: URL?

    /// Creates a person.
    public init(name: String? = nil, email: String? = nil, url: URL? = nil) {
      self.name = name
      self.email = email
      self.url = url
    }

    /// The name, or otherwise the mail address, or otherwise the URL; `nil` if nothing is known.
    public var displayName: String? { name ?? email ?? url?.absoluteString }
  }

  /// A link with its relation (RFC 4287 section 4.2.7).
  public struct Link: Sendable, Hashable {
    /// The target.
    public var url: URL

    /// The relation in lower case, such as `alternate`, `self` or `next`.
    public var relation: String

    /// The media type of the target, such as `text/html`, if the feed gives it.
    public var mediaType: String?

    /// The size of the target in bytes, if the feed gives it.
    public var length: Int?

    /// Creates a link.
    public init(
      url: URL, relation: String = "alternate", mediaType: String? = nil, length: Int? = nil
    ) {
      self.url = url
      self.relation = relation
      self.mediaType = mediaType
      self.length = length
    }
  }

  /// A file that belongs to an item, such as an episode or a picture.
  public struct Enclosure: Sendable, Hashable, Codable {
    /// The location of the file.
    public var url: URL

    /// The media type, such as `audio/mpeg`, if the feed gives it.
    public var mediaType: String?

    /// The size in bytes, if the feed gives it.
    public var length: Int?

    /// Creates an enclosure.
    public init(url: URL, mediaType: String? = nil, length: Int? = nil) {
      self.url = url
      self.mediaType = mediaType
      self.length = length
    }
  }
}

extension Feed {
  /// A text, which is HTML or plain as the feed declares it.
  ///
  /// The markup is the publisher's and isn't sanitised: it may contain scripts and relative links.
  public struct Text: Sendable, Hashable {
    /// The text of the feed without surrounding white space.
    public let value: String

    /// Whether ``value`` is HTML; XHTML is converted to HTML.
    public let isHTML: Bool

    /// Creates a text from HTML.
    public init(html: String) { (value, isHTML) = (html, true) }

    /// Creates a text without markup.
    public init(plain: String) { (value, isHTML) = (plain, false) }

    /// The text as HTML. Special characters in plain text are escaped.
    public var html: String { isHTML ? value : HTMLText.escaped(value) }

    /// The text on one line without markup, safe to show on a terminal.
    ///
    /// `nil` if nothing is left. Computed on each access, in time proportional to the length of the
    /// text.
    public var plainText: String? {
      isHTML ? PlainText.line(ofHTML: value) : PlainText.line(value)
    }
  }
}

extension [Feed.Person] {
  /// The authors for items without their own. It is empty if they are so long that copying them
  /// into many items would take far more memory than the document.
  var inheritable: [Feed.Person] {
    let length = reduce(0) { $0 + ($1.name ?? "").utf8.count + ($1.email ?? "").utf8.count }
    return count <= 100 && length <= 4000 ? self : []
  }
}

extension Feed {
  /// Returns this feed followed by the items of its next page, and with that page's ``nextPage``.
  ///
  /// Items with an id that is already in this feed are left out, because items move from page to
  /// page.
  public func followed(by page: Feed) -> Feed {
    let known = Set(items.compactMap(\.id))
    var feed = self
    feed.items += page.items.filter { item in item.id.map { !known.contains($0) } ?? true }
    feed.nextPage = page.nextPage
    return feed
  }
}
