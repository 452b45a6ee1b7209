enum Help {
  static let text = """
    Reads feeds (RSS, Atom or JSON Feed) in parallel, keeps their items, and lists the
    newest: what is kept at once, and then what is new.

    USAGE: feeds [OPTIONS] [URL…]

    The feeds at these URLs are read, and kept if they can be read; without URLs, all feeds
    that are kept. As long as none is kept, recorded feeds are read from a server in this
    process.

    OPTIONS:
      -n, --limit N        list the N newest items (default 20)
          --database FILE  keep feeds and items in FILE; :memory: keeps nothing. The default
                           is $XDG_DATA_HOME/feeds/feeds.sqlite, or
                           ~/.local/share/feeds/feeds.sqlite; on Apple platforms it is in
                           Application Support
          --offline        load nothing, list what is kept
          --json           write one document of JSON at the end
          --follow         read the feeds every 15 minutes, and whenever the process is
                           continued (SIGCONT), until Ctrl-C
          --every S        with --follow, read them every S seconds
          --inspect FILE   write a page of HTML that shows all loads to FILE at the end
      -h, --help           show this and exit

    Items go to standard output; remarks, progress and failures go to standard error. The
    exit status is 0 if every feed was read, or if none could be reached and all are kept;
    64 if the command line can't be understood; and 1 otherwise.

    """

  static let hint = "Try 'feeds --help'."
}
