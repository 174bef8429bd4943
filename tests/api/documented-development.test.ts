import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsRunBy } from '#tests/support/sources/documented-commands.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Run {
  code: number;
  said: string;
}

/** Types a command in this checkout, without what this test run was told. */
function type(command: string, environment: Record<string, string> = {}): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    const env = { PATH, HOME, ...environment };
    execFile('bash', ['-euo', 'pipefail', '-c', command], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, said: `${stdout}${stderr}` }),
    );
  });
}

const scriptOf = async (name: string): Promise<string> =>
  JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).scripts[name];

let sectionsAsked: Promise<string[]> | undefined;

/** Returns the sections that the bench names when it is asked for one that it does not have. */
function benchSections(): Promise<string[]> {
  sectionsAsked ??= type('npm run bench -- --only nothing --record').then(({ code, said }) => {
    expect(code).toBe(1);
    return /Error: --only takes (.*)/.exec(said)?.[1]?.match(/\w+/g) ?? [];
  });
  return sectionsAsked;
}

/**
 * What takes minutes, a quiet machine or this very test run is begun in a way that ends at once, and says by how it ends that it
 * understood the rest of the line.
 */
const CHECKS: Record<string, (command: string) => Promise<void>> = {
  'npm run dev': async () => {
    // Served in tests/api/development.test.ts; here only that the script plays the same program.
    expect(await scriptOf('dev')).toMatch(/NODE_ENV=development node .* server\/main\.ts$/);
  },
  'npm run demo': async () => {
    // Run in tests/api/demo.test.ts; here only that the script is that program.
    expect(await scriptOf('demo')).toBe('node tests/demo/run-demo.ts');
  },
  'npm run verify': async () => {
    // `npm test`, within which this runs, begins with it.
    expect(await scriptOf('test')).toBe('node tests/run-tests.ts');
    expect(await readFile(join(ROOT, 'tests', 'run-tests.ts'), 'utf8')).toContain(
      "isWhole ? run('npm', ['run', 'verify'])",
    );
  },
  'npm test': async (command) => {
    const args = command.replace('npm test', '').replace(/^ -- /, '');
    // All of it is what runs this test; a part of a part is enough to see that it is understood.
    if (args === '') return;
    expect(await type(`node tests/run-tests.ts ${args.replace(/sites$/, 'sites/rules.test.ts')}`)).toEqual({
      code: 0,
      said: expect.stringMatching(/Tests .*passed/),
    });
  },
  'npm run bench': async (command) => {
    const sections = /--only (\S+)/.exec(command)?.[1]?.split(',') ?? ['visitors'];
    const known = await benchSections();
    for (const section of sections) expect(known).toContain(section);
  },
  'npm run bench:deploys': async () => {
    expect((await type('npm run bench:deploys -- --only nothing')).code).toBe(0);
  },
  'npm run fuzz': async (command) => {
    const only = /--only (\S+)/.exec(command)?.[1] ?? 'deploys';
    const { code, said } = await type(`npm run fuzz -- --minutes 10 --seed 7 --round 7 --only nothing`);
    expect(code).toBe(2);
    expect(said).toMatch(new RegExp(`--only of .*\\b${only}\\b`));
  },
  'npm run account-months': async () => {
    expect(
      await type('npm run account-months', { ACCOUNT_MONTHS: '2x10', ACCOUNT_MONTHS_SEED: '7' }),
    ).toEqual({
      code: 0,
      said: expect.stringMatching(/Tests .*passed/),
    });
  },
  'npm run catalogs': async () => {
    // Writes into locales/; that nothing would change is checked by `npm run verify`.
    expect(await type(`${await scriptOf('catalogs')} --help`)).toMatchObject({ code: 0 });
  },
};

describe('the commands of whoever changes this program', () => {
  const texts = [...new Set(commandsRunBy(import.meta.filename).map(({ text }) => text))];
  it.each(texts)('%s', async (command) => {
    const names = Object.keys(CHECKS).sort((a, b) => b.length - a.length);
    const name = names.find((one) => command === one || command.startsWith(`${one} -- `)) ?? '';
    await CHECKS[name]?.(command);
    expect(CHECKS).toHaveProperty([name]);
  });
});
