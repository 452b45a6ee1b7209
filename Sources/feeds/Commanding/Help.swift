/// What `--help` says.
enum Help {
  static let text = """
    Reads feeds in parallel and lists their newest items.

    USAGE: feeds [OPTIONS] [URL…]

    Each URL is a feed over http or https. Without one the program serves recorded
    feeds from a server of its own on the loopback interface and reads those; one of
    them is missing on purpose.

    OPTIONS:
      -n, --count N        list the N newest items (default 20)
          --concurrency N  load at most N feeds at once (default 8)
          --timeout S      give a feed up after S seconds (default 30), fractions too
      -h, --help           show this and exit

    The items go to standard output; progress and failures go to standard error, as a
    bar where that is a terminal and as lines where it isn't. COLUMNS sets the width
    where the output is no terminal, NO_COLOR switches colours off.

    EXIT STATUS:
       0  every feed was read; without a URL: at least one recorded feed was read
       1  a feed failed, the others are listed all the same
      64  the command line can't be understood

    """

  static let hint = "Try 'feeds --help'."
}
