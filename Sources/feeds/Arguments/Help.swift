/// The text of `--help`.
enum Help {
  static let text = """
    Keeps feeds, reads them in parallel, and lists their newest items: what is kept at
    once, and then what is new.

    USAGE: feeds [OPTIONS] [URL…]     read these feeds, and keep those that can be read
           feeds [OPTIONS]            read the feeds that are kept
           feeds --follow [URL…]      read feeds, and list what is new as it appears
           feeds --list               list the feeds that are kept
           feeds --remove FEED…       forget feeds, by URL or title, with their items
           feeds --demo               read recorded feeds, from a server in this process

    A feed is a document of RSS, Atom or JSON Feed over http or https. As long as none is
    kept, the recorded ones are read; they leave nothing behind unless --database names a
    file.

    OPTIONS:
      -n, --limit N        list the N newest items (default 20). An item without a date counts
                           from when it was first read, one with a date in the future too
          --database FILE  keep feeds and items in FILE (default: see FILES); :memory: keeps
                           nothing
          --offline        load nothing, list what is kept
          --json           write one document of JSON at the end: see JSON
          --concurrency N  load at most N feeds at once (default 8)
          --follow         go on: read the feeds every 15 minutes, and whenever the process
                           is continued (SIGCONT), until Ctrl-C
          --every S        with --follow, read them every S seconds
          --timeout S      give a feed up after S seconds (default 30), fractions too
      -h, --help           show this and exit

    Items go to standard output; remarks, progress and failures go to standard error, as
    a bar where that is a terminal and as lines where it isn't. Without a network, what is
    kept is listed, and its age is told. An item that has changed takes the place of what
    it was; none is listed twice.

    JSON:
      version, generated, offline; feeds: url, title, link, read, state (fresh; kept: as
      read before; failed), new, changed, error (kind, reason, advice, status,
      serverMessage); items: feed, id, title, link, authors, published, updated, summary,
      content, categories, enclosures (url, type, length), firstRead, new. All members are
      always there, null where nothing is known. Times are in UTC. summary and content are
      HTML as the feed has it, scripts included; links are http or https.

    FILES:
      $XDG_DATA_HOME/feeds/feeds.sqlite, or ~/.local/share/feeds/feeds.sqlite; on Apple
      platforms in Application Support. Several processes may use it at once. The folder has
      to be writable, also for --offline. Nobody else may read the files that are made.

    EXIT STATUS:
        0  every feed was read, or nothing could be reached and all of them are kept;
           of the recorded feeds: at least one was read
        1  a feed failed, the others are listed all the same
       64  the command line can't be understood, or no kept feed has such a name
       74  the database can't be read or written
      130  interrupted by Ctrl-C; what was read until then is kept

    """

  static let hint = "Try 'feeds --help'."
}
