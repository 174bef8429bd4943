import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A command that a page tells its reader to type. */
export interface DocumentedCommand {
  /** The page, from the root of the repository. */
  page: string;
  /** What types it: a shell, `npm run operator --`, or the command line for deploys. */
  kind: 'shell' | 'operator' | 'deploys';
  /** A whole block of shell, a line of one that holds only operator commands, or a command within a text. */
  text: string;
}

/** Where people read what to type: every page, and the files that they copy or run. */
export const PAGES: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'cli/README.md',
  '.env.example',
  'Containerfile',
  ...filesBelow('docs').filter((path) => /\.(md|yml|yaml|ts|conf|service)$|Caddyfile$/.test(path)),
];

const OPERATOR = /^npm run (?:--silent )?operator -- /;
/** The name of a command, without what it is to do. */
const NAME_ALONE = / …$|^npm run operator$/;
/** Programs whose name begins a command within a text. */
const PROGRAMS =
  /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|curl|git|podman|docker|systemctl|promtool|tsig-keygen|keymgr|dig|nft|tar|aws|restic|rclone|sudo) \S/;
/** Names of the operator's commands: pages about operation leave `npm run operator --` out within a text. */
const OPERATED =
  /^(?:(?:abuse|billing|organizations|people|stuck|token) (?!.*;)[a-z]+|sites (?:suspend|resume)|usage (?:retry|waiting)|backup [A-Z]|restore (?:[A-Z]|--check))/;
const OPERATED_PAGES = /^docs\/(?:operating\/.+|billing|upgrading)\.md$/;
/** The command line for deploys, as the table of its page has it. */
const DEPLOYED = /^(?:deploy FOLDER|sites list$|versions list --|rollback --|open --)/;

/**
 * Which test runs what, each command in exactly one: the first row whose pattern fits. A command that no row takes fails
 * tests/architecture/documented-commands.test.ts.
 */
export const RUNNERS: readonly { test: string; pages: RegExp; commands: RegExp }[] = [
  {
    test: 'tests/data-plane/program/documented-installation.test.ts',
    pages: /^(?!docs\/deploying\.md)/,
    commands:
      /^(?:git|podman|docker|systemctl|cd \/opt\/portage\n) ?|^npm (?:ci|start|run build)\b|^BILLING_MODE=off npm start/,
  },
  {
    test: 'tests/data-plane/dns/documented-name-server.test.ts',
    pages: /^docs\/operating\/dns\.md$/,
    commands: /^(?:nft|dig|tsig-keygen|keymgr) /,
  },
  {
    test: 'tests/api/documented-development.test.ts',
    pages: /\.md$/,
    commands:
      /^npm (?:test|run (?:dev|demo|verify|bench|bench:deploys|fuzz|account-months|catalogs))\b|^ACCOUNT_MONTHS/,
  },
  { test: 'tests/api/documented-commands.test.ts', pages: /./, commands: /./ },
];

/** Returns every command of every page. */
export function documentedCommands(): DocumentedCommand[] {
  return PAGES.flatMap((page) => commandsOf(page, readFileSync(join(ROOT, page), 'utf8')));
}

/** Returns the commands that a test file has to run: `commandsRunBy(import.meta.filename)`. */
export function commandsRunBy(file: string): DocumentedCommand[] {
  const test = relative(ROOT, file);
  return documentedCommands().filter((command) => runnerOf(command) === test);
}

/** Returns the test that runs a command. */
export function runnerOf({ page, text }: DocumentedCommand): string | undefined {
  return RUNNERS.find(({ pages, commands }) => pages.test(page) && commands.test(text))?.test;
}

/** Returns the fenced blocks of a page with their language. */
export function fencedBlocks(text: string): { language: string; body: string }[] {
  return Array.from(text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm), ([, language = '', body = '']) => ({
    language,
    body,
  }));
}

function commandsOf(page: string, text: string): DocumentedCommand[] {
  const blocks = fencedBlocks(text).flatMap(({ language, body }) => {
    if (language === 'sh') return linesOf(body.trim());
    // Steps of a workflow.
    if (language === 'yaml') return Array.from(body.matchAll(/^\s*- run: (.+)$/gm), ([, run = '']) => run);
    return [];
  });
  const prose = page.endsWith('.md') ? text.replace(/^```[\s\S]*?^```$/gm, '') : text;
  // A line that is broken within a command, also within a comment, is one line.
  const spans = Array.from(prose.matchAll(/`([^`]+)`/g), ([, span = '']) =>
    span.replace(/\s*\n(?:# )?\s*/g, ' '),
  ).filter((span) => !NAME_ALONE.test(span));
  // An example of a program says in its comment how it is run.
  const usages = Array.from(prose.matchAll(/^ \* {5}(\S.*)$/gm), ([, usage = '']) => usage);
  const typed = [...blocks, ...usages].map((command) => ({ command, kind: kindOfTyped(command) }));
  const mentioned = spans.map((command) => ({ command, kind: kindOfSpan(page, command) }));
  return [...typed, ...mentioned].flatMap(({ command, kind }) =>
    kind === null ? [] : [{ page, kind, text: command.replace(OPERATOR, '') }],
  );
}

function kindOfTyped(command: string): DocumentedCommand['kind'] {
  return OPERATOR.test(command) ? 'operator' : 'shell';
}

/** Returns how the tests run a piece of code within a text, or null when it is no command. */
function kindOfSpan(page: string, span: string): DocumentedCommand['kind'] | null {
  if (OPERATED_PAGES.test(page) && OPERATED.test(span)) return 'operator';
  if (page === 'docs/deploying.md' && DEPLOYED.test(span)) return 'deploys';
  return PROGRAMS.test(span) ? kindOfTyped(span) : null;
}

/** Operator commands are run one by one; any other block is run as a whole. */
function linesOf(block: string): string[] {
  const lines = block.split('\n');
  return lines.every((line) => OPERATOR.test(line)) ? lines : [block];
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}
