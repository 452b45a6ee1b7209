#!/usr/bin/env python3
"""Puts mutants into a copy of the package, all at once, each behind a switch, and runs the tests.

   mutate.py plant ROOT SEED COUNT MODULE...   changes ROOT's sources, and builds until they compile
   mutate.py run ROOT COUNT MODULE...          runs each module's tests once for each mutant
   mutate.py widen ROOT MODULE TESTS...        tries a module's survivors with other tests: targets, or suites as Target.Suite
   mutate.py again ROOT MODULE...              tries the survivors with the tests that ROOT has now
   mutate.py table ROOT                        the figures so far, and the survivors

For example, at the top of a clean working tree:

   git clone . ../mutants
   nice -n 15 Benchmarks/Mutants/mutate.py plant ../mutants 1 60 PromiseModule ResourceCache
   nice -n 15 Benchmarks/Mutants/mutate.py run ../mutants 60 PromiseModule ResourceCache
   Benchmarks/Mutants/mutate.py table ../mutants

The copy's sources are changed, so ROOT is never the tree that one works in. Test targets that
aren't needed may be taken out of the copy's manifest, and committed there, before planting. A test
that is written for a survivor is copied into ROOT/Tests; then `again` builds and tries it.

A mutant is one operator, constant, condition, call or assignment that is changed. All of them are
compiled into one program, which reads from RESOURCE_MUTANT which one of them is active, so that
trying a mutant costs a test run instead of a build. What doesn't compile is taken out again. The
same seed chooses the same mutants in the same sources.

The tests fail, crash or hang under a mutant that they notice; `survived` means that they passed.
Results are lines of ROOT/mutants.tsv, and `run` goes on where it stopped. A line whose last field
is followed by one that begins with `equivalent:` and says why counts as such."""

import collections
import glob
import json
import os
import random
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
    declares = re.search(r'\b(func|init|subscript|typealias|associatedtype|struct|enum|class|actor|protocol|extension)\b', code)
    for m in re.finditer(r' (<=|>=|==|!=|<|>|&&|\|\||\+=|-=|\+|-) ', code):
        if not in_string(code, m.start()) and not declares:
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
            path = os.path.join(folder, name)
            lines = open(path).read().split('\n')
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


HEADER = '''#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

let activeMutant = getenv("RESOURCE_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1
@inline(never) func mutant(_ number: Int) -> Bool { activeMutant == number }
@inline(never) func mutant(_ number: Int, negates condition: Bool) -> Bool {
  activeMutant == number ? !condition : condition
}
'''


class Plan:
    def __init__(self, root):
        self.root = root
        self.path = os.path.join(root, 'mutants.json')
        self.mutants = []

    def choose(self, seed, count, modules):
        for module in modules:
            found = sites(self.root, module)
            random.Random(f'{seed} {module}').shuffle(found)
            lines, files, chosen = set(), collections.Counter(), []
            for site in found:
                if (site.file, site.line) in lines or files[site.file] >= max(4, count // 6):
                    continue
                lines.add((site.file, site.line))
                files[site.file] += 1
                chosen.append(site)
                if len(chosen) == count * 2:
                    break
            print(f'{module}: {len(found)} sites, {len(chosen)} chosen', flush=True)
            for site in chosen:
                self.mutants.append({'number': len(self.mutants), 'module': module, 'site': site._asdict()})

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
            here = [m for m in self.mutants if m['site']['file'] == path]
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
        ['swift', 'build', *arguments], cwd=root, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def run_tests(root, targets, number, limit):
    """Whether the tests notice: 'survived', 'failed', 'crashed' or 'hung', and how long it took."""
    begun = time.time()
    environment = dict(os.environ, RESOURCE_MUTANT=str(number), SWIFT_BACKTRACE='enable=no')
    program = glob.glob(os.path.join(root, '.build', 'debug', '*.xctest'))[0]
    process = subprocess.Popen(
        [program, '--testing-library', 'swift-testing', '--filter', f"^({'|'.join(targets)})[./]"],
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
        sys.exit(f'{targets}: no tests ran\n' + tail.decode(errors='replace'))
    return state, time.time() - begun


def run(root, count, modules):
    mutants = json.load(open(os.path.join(root, 'mutants.json')))
    results = os.path.join(root, 'mutants.tsv')
    done = {}
    if os.path.exists(results):
        done = {int(l.split('\t')[0]): l for l in open(results)}
    for module in modules:
        state, base = run_tests(root, [module + 'Tests'], -1, 900)
        if state != 'survived':
            sys.exit(f'{module}: the tests fail without a mutant ({state})')
        print(f'{module}: {base:.0f} s without a mutant', flush=True)
        chosen = [m for m in mutants if m['module'] == module][:count]
        for mutant in chosen:
            if mutant['number'] in done:
                continue
            state, seconds = run_tests(root, [module + 'Tests'], mutant['number'], max(60, base * 4))
            place = os.path.relpath(mutant['site']['file'], root)
            line = '\t'.join([str(mutant['number']), state, f'{seconds:.0f}', module,
                              f"{place}:{mutant['site']['line'] + 1}",
                              f"{mutant['before']}  ->  {mutant['after']}"])
            with open(results, 'a') as out:
                out.write(line + '\n')


def try_again(root, module, targets):
    """Tries what survived in a module with other tests than before."""
    results = os.path.join(root, 'mutants.tsv')
    state, base = run_tests(root, targets, -1, 900)
    if state != 'survived':
        sys.exit(f'{targets}: the tests fail without a mutant ({state})')
    for line in list(open(results)):
        number, state, _, of, rest = line.rstrip('\n').split('\t', 4)
        if of != module or state != 'survived' or '\tequivalent:' in line:
            continue
        state, seconds = run_tests(root, targets, int(number), max(60, base * 4))
        lines = open(results).read().split('\n')
        place = next(i for i, l in enumerate(lines) if l.startswith(number + '\t'))
        lines[place] = '\t'.join([number, state, f'{seconds:.0f}', of, rest])
        open(results, 'w').write('\n'.join(lines))


def again(root, modules):
    done = build(root, '--build-tests')
    if done.returncode != 0:
        sys.exit(done.stdout.decode(errors='replace')[-3000:])
    for module in modules:
        try_again(root, module, [module + 'Tests'])


def table(root):
    figures = collections.defaultdict(collections.Counter)
    survivors = []
    for line in open(os.path.join(root, 'mutants.tsv')):
        _, state, _, module, place, change = line.rstrip('\n').split('\t', 5)
        if '\tequivalent:' in line:
            state = 'equivalent'
        figures[module][state] += 1
        if state in ('survived', 'equivalent'):
            survivors.append(f'{state}\t{place}\t{change}')
    print('| module | mutants | failed | crashed | hung | equivalent | survived | killed |')
    print('|---|---|---|---|---|---|---|---|')
    for module, states in sorted(figures.items()):
        total = sum(states.values())
        lasting = total - states['equivalent']
        killed = lasting - states['survived']
        print(f"| {module} | {total} | {states['failed']} | {states['crashed']} | {states['hung']} | "
              f"{states['equivalent']} | {states['survived']} | {100 * killed / lasting:.0f} % |")
    print('\nNot killed:')
    print('\n'.join(sorted(survivors)))


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command, root = sys.argv[1], os.path.abspath(sys.argv[2])
    if command == 'plant':
        plan = Plan(root)
        plan.choose(sys.argv[3], int(sys.argv[4]), sys.argv[5:])
        plan.build(sys.argv[5:])
    elif command == 'run':
        run(root, int(sys.argv[3]), sys.argv[4:])
    elif command == 'widen':
        try_again(root, sys.argv[3], sys.argv[4:])
    elif command == 'again':
        again(root, sys.argv[3:])
    elif command == 'table':
        table(root)
    else:
        sys.exit(__doc__)
