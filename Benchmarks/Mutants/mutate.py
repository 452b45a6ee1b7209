#!/usr/bin/env python3
"""Puts mutants into a copy of the package, all at once, each behind a switch, and runs the tests.

   mutate.py measure ROOT [MODULE...]          all of what follows; the table is ROOT/mutants.md
   mutate.py plant ROOT [MODULE...]            changes ROOT's sources, and builds until they compile
   mutate.py reach ROOT                        notes which suite reaches which mutants
   mutate.py run ROOT [MODULE...]              runs, for each mutant, the suites that reach it
   mutate.py again ROOT [MODULE...]            tries the survivors with the tests that ROOT has now
   mutate.py table ROOT                        writes the figures so far, and the survivors

For example, at the top of a clean working tree:

   git clone . ../mutants
   nice -n 15 Benchmarks/Mutants/mutate.py measure ../mutants ResourceCache ResourceFeeds

What follows `--` takes the place of the tool's own flags for `swift build`: a copy that was built
with the same ones isn't built anew. The copy's sources are changed, so ROOT is never the tree that one works in. Test targets that
aren't needed may be taken out of the copy's manifest, and committed there, before planting. A test
that is written for a survivor is copied into ROOT/Tests; then `again` builds and tries it.

A mutant is one operator, constant, condition, call or assignment that is changed. All of them are
compiled into one program, which reads from RESOURCE_MUTANT which one of them is active, so that
trying a mutant costs a test run instead of a build. What doesn't compile is taken out again. A
mutant's place in the draw depends on the seed and on its own line alone, so that a change of one
line leaves the other mutants as they were.

60 mutants are drawn from each module, and more from the files that hold its decisions (DECISIONS)
until there are 40 of those. A module's figure is that of the 60, the decisions' that of all in
their files.

The tests fail, crash or hang under a mutant that they notice; `survived` means that they passed,
`unreached` that no test comes by. A module is tried with its own tests, ResourcePrimitives and
ResourceXML also with those of the modules that use them. Results are lines of ROOT/mutants.tsv, and `run` goes on
where it stopped. `equivalent.tsv` beside this file names the mutants that change nothing which
anyone could notice: the file, the change, and why."""

import collections
import fnmatch
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time

COMPARISONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
SUMS = {'+': '-', '-': '+'}
CHANGES = {'+=': '-=', '-=': '+='}
LOGIC = {'&&': '||', '||': '&&'}
PRECEDENCE = {'&&': 'LogicalConjunctionPrecedence', '||': 'LogicalDisjunctionPrecedence'}

SEED, COUNT, DECISION_COUNT = 1, 60, 40
# Not all of them compile, so more are planted than are tried.
SPARE = 1.6
# The seconds of a suite that takes long, and of the suites, the quickest first, after which a mutant
# counts as survived: once for the module's own suites, and once for those of other modules.
LONG = 20
PATIENCE = float(os.environ.get('PATIENCE', 60))

# The files of each module that hold its rules, machines, policies and parsers.
DECISIONS = {
    'PromiseModule': 'State/* Combine/BoundedMap.swift Combine/Combination.swift Time/Backoff.swift Time/RetryPolicy.swift',
    'ResourcePrimitives': 'Queues/* Secrets/* Text/* Time/CalendarTime.swift URLs/*',
    'ResourceJSON': 'Index/* Incremental/*Scanner.swift Numbers/* Text/* Decoding/MemberSearch.swift Decoding/SnakeCase.swift',
    'ResourceLoading': 'Exchange/RedirectRules.swift Exchange/Cookies/* Exchange/StrictTransportSecurity.swift '
        'Exchange/ExchangeLimits.swift Exchange/ResponseAccumulator+State.swift Exchange/Downloads/ByteRanges.swift '
        'Exchange/Downloads/ContentCheck.swift Exchange/Downloads/DigestFields.swift Exchange/Downloads/PartsPlan.swift '
        'Fields/* Middleware/RetryRule.swift Pagination/Pagination.swift Request/RequestPath*.swift '
        'Request/PathTemplate.swift Request/QueryItems.swift Request/WireRequest+Check.swift '
        'Request/Parameters/* Resource/Streaming/LineSplitter.swift Resource/Streaming/ServerSentEvent.swift '
        'Response/Response+Link.swift Response/Response+Text.swift Response/ServerMessage.swift '
        'Response/ServerTiming.swift Transport/Curl/ResponseHeadReader.swift Transport/Curl/LoadError+Curl.swift',
    'ResourceXML': 'Parser/* Scanner/* Transcoder/* Decoder/*Date.swift Decoder/CalendarMoment.swift Decoder/Span+Lexical.swift',
    'ResourceFeeds': 'Documents/FeedLinkFinder.swift Documents/FeedMarkup.swift Formats/* Model/ItemIdentity.swift Text/*',
    'ResourceCache': 'Policy/* Responses/*',
    'ResourceStore': 'Cache/HashedCacheKey.swift Cache/ResponseRow.swift Database/DeclaredType.swift '
        'Database/LoadError+SQLite.swift Database/SQLiteError.swift Models/Condition.swift Queries/SQLQuery.swift Schema/* Coding/*',
    'ResourceOutbox': 'OutboxRule.swift OutboxPacing.swift OutboxPlaceholder.swift OutboxJSON.swift OutboxTables+*.swift StoredRequest.swift',
    'ResourceState': 'Pages/PagesMachine.swift State/* Writes/LiveChanges.swift Time/*',
    'ResourceTracing': 'Context/* Export/ExportQueue.swift Export/SpanBatcher.swift Spans/HTTPFacts.swift Spans/SpanClock.swift '
        'Spans/TraceSampling.swift TracePropagation.swift',
    'ResourceTesting': 'Clock/ManualClock.swift Network/* Recording/RequestMatcher.swift Recording/Playback*.swift '
        'Recording/ComparedURL.swift Recording/RecordingRedaction.swift Recording/SecretStandIns.swift '
        'Recording/HTTPArchive+De*.swift Server/ByteReader.swift Server/ReceivedRequest.swift Stubs/StubTable.swift',
}


def decides(module, file):
    inner = os.path.relpath(file, os.path.join('Sources', module))
    return any(fnmatch.fnmatch(inner, pattern) for pattern in DECISIONS[module].split())


def tests_of(module):
    """The test targets that a module is tried with."""
    users = {'ResourcePrimitives': list(DECISIONS), 'ResourceXML': ['ResourceXML', 'ResourceFeeds']}
    return [user + 'Tests' for user in users.get(module, [module])]


Site = collections.namedtuple('Site', 'file line kind start end text')


def operator_name(number):
    """An operator made of mathematical signs that spell the number."""
    digits = ''
    while True:
        digits = chr(0x2200 + number % 64) + digits
        number //= 64
        if number == 0:
            return '⊞' + digits


def balanced(code):
    return all(code.count(a) == code.count(b) for a, b in ('()', '[]', '{}'))


def in_string(code, at):
    return code[:at].count('"') % 2 == 1


def sites_of_line(path, number, line, following):
    stripped = line.strip()
    skipped = ('//', '*', '/*', '@', 'import ', 'public import', 'package import', '#', 'case ', '"',
               'infix ', 'prefix ', 'postfix ', 'default:')
    if not stripped or stripped.startswith(skipped):
        return
    code = re.sub(r'\s+//.*$', '', line)
    if '"""' in code:
        return
    # Types of generic clauses, and what an initialiser must set, can't be changed.
    if re.search(r' where \w+ == |\.self\b', code) or re.fullmatch(r'\s+self\.(\w+) = \1', code):
        return
    declares = re.search(r'\b(func|init|subscript|typealias|associatedtype|struct|enum|class|actor|protocol|extension)\b', code)
    for m in re.finditer(r' (<=|>=|==|!=|<|>|&&|\|\||\+=|-=|\+|-) ', code):
        # Texts and arrays have a sum, but no difference.
        joins = m.group(1) in SUMS and re.search(r'["\]] $|^ ["\[]', code[:m.start() + 1] + '\n' + code[m.end(1):], re.M)
        if not in_string(code, m.start()) and not declares and not joins:
            yield Site(path, number, 'operator', m.start(1), m.end(1), m.group(1))
    for m in re.finditer(r'\b(true|false)\b', code):
        if not in_string(code, m.start()):
            yield Site(path, number, 'literal', m.start(), m.end(), m.group(1))
    for m in re.finditer(r'(?<![\w.\-$#])(0|1|2)(?![\w.:])', code):
        if not in_string(code, m.start()) and not declares:
            yield Site(path, number, 'number', m.start(), m.end(), m.group(1))
    for m in re.finditer(r'(?<![\w.])(min|max)\(', code):
        if not in_string(code, m.start()) and not declares:
            yield Site(path, number, 'extreme', m.start(), m.end(), m.group(1))
    for m in re.finditer(r'\.isEmpty\b', code):
        if not in_string(code, m.start()):
            yield Site(path, number, 'empty', m.start(), m.end(), '.isEmpty')
    condition = re.match(r'^(\s*(?:\} else )?)(if|guard|while) (?!let|var|case|#)([^,{}]+?)( else)? \{', code)
    if condition and (condition.group(2) == 'guard') == bool(condition.group(4)) and balanced(condition.group(3)):
        yield Site(path, number, 'condition', condition.start(3), condition.end(3), condition.group(3))
    deeper = len(following) - len(following.lstrip()) > len(line) - len(line.lstrip())
    if deeper or following.strip().startswith(('.', '?', ':', '&&', '||', '+', '-', '??')) or not balanced(code):
        return
    if re.search(r'\b(return|super|fatalError|precondition|func|init|let|var|throw)\b|[{}]|->', code):
        return
    if re.fullmatch(r'\s+(?:try |await |try await )?[\w.?!]+\(.*\)', code) and not re.match(r'\s+\w+: ', code):
        yield Site(path, number, 'call', len(code) - len(code.lstrip()), len(code), stripped)
    if re.fullmatch(r'\s+[\w.]+ = [^=].*', code):
        yield Site(path, number, 'assignment', len(code) - len(code.lstrip()), len(code), stripped)


def sites(root, module):
    found = []
    for folder, _, names in os.walk(os.path.join(root, 'Sources', module)):
        for name in sorted(names):
            if not name.endswith('.swift') or '.docc' in folder or name == 'Mutant.swift':
                continue
            path = os.path.relpath(os.path.join(folder, name), root)
            lines = open(os.path.join(root, path)).read().split('\n')
            is_in_text = False
            for number, line in enumerate(lines):
                # The lines of a string of several are text.
                was_in_text = is_in_text
                is_in_text ^= line.count('"""') % 2 == 1
                if was_in_text or is_in_text:
                    continue
                following = lines[number + 1] if number + 1 < len(lines) else ''
                before = lines[number - 1] if number else ''
                if before.rstrip().endswith((',', '(', '[', '=', '?', ':')) or before.strip().startswith('#if'):
                    usable = [s for s in sites_of_line(path, number, line, following) if s.kind not in ('call', 'assignment')]
                else:
                    usable = list(sites_of_line(path, number, line, following))
                found += usable
    return found


def mutated(site, number, line):
    """The line with the mutant behind its switch, what was before and after, and the declaration."""
    left, right, text = line[:site.start], line[site.end:], site.text
    name = operator_name(number)
    if site.kind == 'operator':
        if text in COMPARISONS:
            other = COMPARISONS[text]
            constraint = 'Equatable' if text in ('==', '!=') else 'Comparable'
            declaration = f'''infix operator {name}: ComparisonPrecedence
func {name}<T: {constraint}>(l: T, r: T) -> Bool {{ mutant({number}) ? l {other} r : l {text} r }}
'''
            if constraint == 'Equatable':
                declaration += f'''func {name}<T>(l: T?, r: _OptionalNilComparisonType) -> Bool {{ mutant({number}) ? l {other} r : l {text} r }}
'''
        elif text in LOGIC:
            other = LOGIC[text]
            declaration = f'''infix operator {name}: {PRECEDENCE[text]}
func {name}(l: Bool, r: @autoclosure () throws -> Bool) rethrows -> Bool {{ mutant({number}) ? try l {other} r() : try l {text} r() }}
'''
        elif text in CHANGES:
            other = CHANGES[text]
            declaration = f'''infix operator {name}: AssignmentPrecedence
func {name}<T: AdditiveArithmetic>(l: inout T, r: T) {{ if mutant({number}) {{ l {other} r }} else {{ l {text} r }} }}
'''
        else:
            other = SUMS[text]
            declaration = f'''infix operator {name}: AdditionPrecedence
func {name}<T: AdditiveArithmetic>(l: T, r: T) -> T {{ mutant({number}) ? l {other} r : l {text} r }}
'''
        return left + name + right, left + other + right, declaration
    if site.kind == 'literal':
        other = 'false' if text == 'true' else 'true'
        return f'{left}(mutant({number}) ? {other} : {text}){right}', left + other + right, ''
    if site.kind == 'number':
        other = str(int(text) + 1)
        return f'{left}(mutant({number}) ? {other} : {text}){right}', left + other + right, ''
    if site.kind == 'extreme':
        other = 'max' if text == 'min' else 'min'
        declaration = f'''func mutant{number}<T: Comparable>(_ a: T, _ b: T) -> T {{ mutant({number}) ? {other}(a, b) : {text}(a, b) }}
'''
        return f'{left}mutant{number}({right}', f'{left}{other}({right}', declaration
    if site.kind == 'empty':
        declaration = f'''postfix operator {name}
postfix func {name}(a: Bool) -> Bool {{ mutant({number}) ? !a : a }}
'''
        return f'{left}.isEmpty{name}{right}', f'{left}.isEmpty == false{right}', declaration
    if site.kind == 'condition':
        return f'{left}mutant({number}, negates: {text}){right}', f'{left}!({text}){right}', ''
    return f'{left}if !mutant({number}) {{ {line[site.start:site.end]} }}{right}', left + '(deleted)', ''


# What is given to each `swift build`: without symbols, it takes less time.
FLAGS = ['--disable-index-store', '-Xswiftc', '-gnone']

HEADER = '''#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

let activeMutant = unsafe getenv("RESOURCE_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? -1
nonisolated(unsafe) let reachedMutants: UnsafeMutablePointer<UInt8>? = {
  guard let path = unsafe getenv("RESOURCE_REACHED") else { return nil }
  let file = unsafe open(path, O_RDWR)
  guard file >= 0, let bytes = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
  else { return nil }
  return unsafe bytes.assumingMemoryBound(to: UInt8.self)
}()
@inline(never) func mutant(_ number: Int) -> Bool {
  if let reachedMutants = unsafe reachedMutants { unsafe reachedMutants[number] = 1 }
  return activeMutant == number
}
@inline(never) func mutant(_ number: Int, negates condition: Bool) -> Bool {
  mutant(number) ? !condition : condition
}
'''


class Plan:
    def __init__(self, root):
        self.root = root
        self.path = os.path.join(root, 'mutants.json')
        self.mutants = []

    def choose(self, modules):
        for module in modules:
            found = sites(self.root, module)
            texts = {s.file: open(os.path.join(self.root, s.file)).read().split('\n') for s in found}

            def rank(site):
                text = texts[site.file][site.line].strip()
                return hashlib.sha256(f'{SEED} {site.file} {text} {site.kind} {site.text}'.encode()).hexdigest()

            lines, files, count, decisions = set(), collections.Counter(), 0, 0
            for site in sorted(found, key=rank):
                is_decision = decides(module, site.file)
                if (site.file, site.line) in lines or files[site.file] >= COUNT // 6:
                    continue
                if count >= SPARE * COUNT and not (is_decision and decisions < SPARE * DECISION_COUNT):
                    continue
                lines.add((site.file, site.line))
                files[site.file] += 1
                count += 1
                decisions += is_decision
                number = self.mutants[-1]['number'] + 1 if self.mutants else 0
                self.mutants.append({'number': number, 'module': module, 'site': site._asdict()})
            print(f'{module}: {len(found)} sites, {count} chosen', flush=True)

    def write(self):
        """Writes the sources with the mutants that are left, from the committed text."""
        files = collections.defaultdict(list)
        for mutant in self.mutants:
            files[mutant['site']['file']].append(mutant)
        declarations = collections.defaultdict(str)
        for module in {m['module'] for m in self.mutants}:
            folder = os.path.join('Sources', module)
            subprocess.run(['git', 'checkout', '-q', '--', folder], cwd=self.root, check=True)
        for path, mutants in files.items():
            path = os.path.join(self.root, path)
            lines = open(path).read().split('\n')
            for mutant in mutants:
                site = Site(**mutant['site'])
                old = lines[site.line]
                lines[site.line], after, declaration = mutated(site, mutant['number'], old)
                mutant['before'], mutant['after'] = old.strip(), after.strip()
                declarations[mutant['module']] += declaration
            open(path, 'w').write('\n'.join(lines))
        for module in {m['module'] for m in self.mutants}:
            text = HEADER + declarations[module]
            open(os.path.join(self.root, 'Sources', module, 'Mutant.swift'), 'w').write(text)
        json.dump(self.mutants, open(self.path, 'w'), indent=1, ensure_ascii=False)

    def drop_what_fails(self, output):
        """Takes out the mutants at, or nearest above, the lines of the errors."""
        drop = set()
        for path, line in set(re.findall(r'^(/[^\s:]+\.swift):(\d+):\d+: error:', output, re.M)):
            line = int(line) - 1
            if path.endswith('Mutant.swift'):
                text = open(path).read().split('\n')[line]
                drop |= {int(n) for n in re.findall(r'mutant\((\d+)\)', text)}
                continue
            here = [m for m in self.mutants if os.path.join(self.root, m['site']['file']) == path]
            exact = [m for m in here if m['site']['line'] == line]
            near = [m for m in here if abs(m['site']['line'] - line) <= 12]
            near.sort(key=lambda m: abs(m['site']['line'] - line))
            for mutant in exact or near[:1] or here:
                drop.add(mutant['number'])
        self.mutants = [m for m in self.mutants if m['number'] not in drop]
        return len(drop)

    def compile(self, *arguments):
        """Builds, and takes out what doesn't compile, until it does."""
        for attempt in range(100):
            self.write()
            done = build(self.root, *arguments)
            output = done.stdout.decode(errors='replace')
            if done.returncode == 0:
                return
            dropped = self.drop_what_fails(output)
            print(f'{" ".join(arguments)}: {dropped} mutants do not compile', flush=True)
            if dropped == 0:
                sys.exit('The build fails for another reason:\n' + output[-3000:])

    def build(self, modules):
        for module in modules:
            self.compile('--target', module)
        self.compile('--build-tests')
        print(f'built with {len(self.mutants)} mutants', flush=True)


def build(root, *arguments):
    return subprocess.run(
        ['swift', 'build', *arguments, *FLAGS], cwd=root, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def selected(mutants, module):
    """The mutants that are tried, each with whether it belongs to the module's draw."""
    count, decisions = 0, 0
    for mutant in (m for m in mutants if m['module'] == module):
        is_decision = decides(module, mutant['site']['file'])
        if count < COUNT or is_decision and decisions < DECISION_COUNT:
            yield mutant, count < COUNT
            count += 1
            decisions += is_decision


def program(root):
    return glob.glob(os.path.join(root, '.build', 'debug', '*.xctest'))[0]


def pattern(suites):
    return '^(' + '|'.join(re.escape(s).replace('/', '[./]') for s in suites) + ')[./]'


def run_tests(root, suites, number, limit, reached=None):
    """Whether the tests notice: 'survived', 'failed', 'crashed' or 'hung', and how long it took."""
    begun = time.time()
    environment = dict(os.environ, RESOURCE_MUTANT=str(number), SWIFT_BACKTRACE='enable=no')
    if reached:
        environment['RESOURCE_REACHED'] = reached
    process = subprocess.Popen(
        [program(root), '--testing-library', 'swift-testing', '--filter', pattern(suites)],
        cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    os.set_blocking(process.stdout.fileno(), False)
    state, tail = None, b''
    while state is None:
        piece = process.stdout.read()
        if piece:
            tail = (tail + piece)[-20000:]
            if '✘'.encode() in tail:
                state = 'failed'
        elif process.poll() is not None:
            state = 'survived' if process.returncode == 0 else 'crashed'
        elif time.time() - begun > limit:
            state = 'hung'
        else:
            time.sleep(0.05)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    if state == 'survived' and b'Test run with' not in tail:
        sys.exit(f'{suites}: no tests ran\n' + tail.decode(errors='replace'))
    return state, time.time() - begun


def suites(root):
    """All suites of the program, as Target.Suite."""
    listed = subprocess.run(
        [program(root), '--testing-library', 'swift-testing', '--list-tests'], cwd=root,
        stdout=subprocess.PIPE, check=True).stdout.decode()
    return sorted({m.group(1) for m in re.finditer(r'^(\w+\.\w+)/', listed, re.M)})


def reach(root, modules, only=None):
    """Runs each suite once, without a mutant, and notes its time and which mutants it reaches."""
    path, map_path = os.path.join(root, 'reach.json'), os.path.join(root, 'reached')
    notes = json.load(open(path)) if os.path.exists(path) else {}
    targets = {target for module in modules for target in tests_of(module)}
    for suite in suites(root):
        if suite.split('.')[0] not in targets or only is None and suite in notes or only and not only(suite):
            continue
        open(map_path, 'wb').write(bytes(4096))
        state, seconds = run_tests(root, [suite], -1, 900, map_path)
        if state != 'survived':
            print(f'{suite} fails without a mutant ({state}), and is left out', flush=True)
            continue
        numbers = [n for n, byte in enumerate(open(map_path, 'rb').read()) if byte]
        notes[suite] = {'seconds': round(seconds, 1), 'mutants': numbers}
        json.dump(notes, open(path, 'w'))


def attempt(root, notes, module, mutant):
    """Runs the suites that reach the mutant, the quick ones first."""
    number, begun = mutant['number'], time.time()
    reaching = {s: note['seconds'] for s, note in notes.items() if number in note['mutants']}
    # Whatever takes long is tried only where nothing else comes by.
    quick = {s: seconds for s, seconds in reaching.items() if seconds <= LONG}
    reaching = dict(sorted((quick or reaching).items(), key=lambda pair: pair[1]))
    tried = []
    for is_own in (True, False):
        spent = 0
        for suite in reaching:
            target = suite.split('.')[0]
            if (target == module + 'Tests') == is_own and target in tests_of(module) and spent < PATIENCE:
                tried.append(suite)
                spent += reaching[suite]
    group, spent = [], 0
    for place, suite in enumerate(tried):
        group.append(suite)
        spent += reaching[suite]
        if spent < 5 and place < len(tried) - 1:
            continue
        state, _ = run_tests(root, group, number, max(60, spent * 8))
        if state != 'survived':
            return state, time.time() - begun
        group, spent = [], 0
    return 'survived' if tried else 'unreached', time.time() - begun


def read_results(root):
    path = os.path.join(root, 'mutants.tsv')
    if not os.path.exists(path):
        return {}
    return {int(l.split('\t')[0]): l.rstrip('\n').split('\t') for l in open(path)}


def run(root, modules, is_again=False):
    mutants = json.load(open(os.path.join(root, 'mutants.json')))
    notes = json.load(open(os.path.join(root, 'reach.json')))
    known = equivalents()
    for module in modules:
        for mutant, is_drawn in selected(mutants, module):
            done = read_results(root)
            old = done.get(mutant['number'])
            if old and not (is_again and old[1] in ('survived', 'unreached')):
                continue
            file, change = mutant['site']['file'], f"{mutant['before']}  ->  {mutant['after']}"
            if (file, change) in known:
                state, seconds = 'survived', 0
            else:
                state, seconds = attempt(root, notes, module, mutant)
            done[mutant['number']] = [
                str(mutant['number']), state, f'{seconds:.0f}', module, 'module' if is_drawn else 'more',
                f"{file}:{mutant['site']['line'] + 1}", change]
            with open(os.path.join(root, 'mutants.tsv'), 'w') as out:
                out.writelines('\t'.join(fields) + '\n' for _, fields in sorted(done.items()))


def again(root, modules):
    """Builds the tests that ROOT has now, notes anew what they reach, and tries the survivors."""
    done = build(root, '--build-tests')
    if done.returncode != 0:
        sys.exit(done.stdout.decode(errors='replace')[-3000:])
    changed = subprocess.run(
        ['git', 'status', '--porcelain', '--', 'Tests'], cwd=root, stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    names = set()
    for line in changed.splitlines():
        path = os.path.join(root, line[3:])
        names |= set(re.findall(r'\b(?:struct|class|actor|enum|extension) (\w+)', open(path).read()))
    reach(root, modules, lambda suite: suite.split('.')[1] in names)
    run(root, modules, True)


def equivalents():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'equivalent.tsv')
    return {(file, change): why for file, change, why in
            (line.rstrip('\n').split('\t') for line in open(path))}


def percent(states):
    lasting = sum(states.values()) - states['equivalent']
    return f"{100 * (lasting - states['survived']) / lasting:.0f} %" if lasting else '–'


def table(root):
    of_modules = collections.defaultdict(collections.Counter)
    of_decisions = collections.defaultdict(collections.Counter)
    left, known = [], equivalents()
    for _, state, _, module, drawn, place, change in read_results(root).values():
        file = place.rsplit(':', 1)[0]
        why = known.get((file, change))
        is_decision = decides(module, file)
        if why or state in ('survived', 'unreached'):
            kind = 'equivalent' if why else state
            left.append('\t'.join([kind, 'decision' if is_decision else '', place, change] + ([why] if why else [])))
        state = 'equivalent' if why else 'survived' if state == 'unreached' else state
        if drawn == 'module':
            of_modules[module][state] += 1
        if is_decision:
            of_decisions[module][state] += 1
    lines = ['| module | mutants | failed | crashed | hung | equivalent | survived | killed '
             '| decisions | equivalent | survived | killed |',
             '|---|---|---|---|---|---|---|---|---|---|---|---|']
    for module, states in sorted(of_modules.items()):
        rules = of_decisions[module]
        lines.append(
            f"| {module} | {sum(states.values())} | {states['failed']} | {states['crashed']} | {states['hung']} "
            f"| {states['equivalent']} | {states['survived']} | {percent(states)} "
            f"| {sum(rules.values())} | {rules['equivalent']} | {rules['survived']} | {percent(rules)} |")
    text = '\n'.join(lines + ['', 'Not killed:', ''] + sorted(left)) + '\n'
    open(os.path.join(root, 'mutants.md'), 'w').write(text)
    print(text, end='')


def plant(root, modules):
    plan = Plan(root)
    if os.path.exists(plan.path):
        plan.mutants = json.load(open(plan.path))
    plan.choose([m for m in modules if all(mutant['module'] != m for mutant in plan.mutants)])
    plan.build(modules)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if '--' in sys.argv:
        place = sys.argv.index('--')
        FLAGS = sys.argv[place + 1:]
        del sys.argv[place:]
    command, root = sys.argv[1], os.path.abspath(sys.argv[2])
    modules = sys.argv[3:] or list(DECISIONS)
    if command == 'measure':
        plant(root, modules)
        reach(root, modules)
        run(root, modules)
        table(root)
    elif command in ('plant', 'reach', 'run', 'again'):
        {'plant': plant, 'reach': reach, 'run': run, 'again': again}[command](root, modules)
    elif command == 'table':
        table(root)
    else:
        sys.exit(__doc__)
