import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Deployer, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';

interface Example {
  title: string;
  files: Record<string, string>;
  rows: { path: string; answer: string }[];
}

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'sites.md'), 'utf8');
const EXAMPLES = PAGE.split(/^## /m)
  .slice(1)
  .map(readExample)
  .filter(({ files }) => Object.keys(files).length > 0);

let server: RunningServer;
let deployer: Deployer;
beforeAll(async () => {
  server = shareServer();
  deployer = await registerDeployer(server);
});

describe('docs/sites.md', () => {
  it('has an example in nearly every section', () => {
    expect(EXAMPLES.map(({ title }) => title)).toHaveLength(7);
    for (const { title, rows } of EXAMPLES) expect(rows.length, title).toBeGreaterThan(1);
  });

  it.each(EXAMPLES)('is true: $title', async ({ files, rows, title }) => {
    const site = await deployer.createSite(title.toLowerCase().replaceAll(/[^a-z]+/g, '-'));
    await site.deploy(files);
    for (const { path, answer: response } of rows) {
      const { status, headers, text } = await server.edge(site.host, path);
      const [said = '', ...more] = response.split(', ').reduce<string[]>(joinInsideCode, []);
      const [code = '', ...rest] = said.split(' ');
      expect(`${path}: ${status}`).toBe(`${path}: ${code}`);
      if (rest[0] === 'to') expect(headers.location).toBe(rest[1]);
      else if (rest[0] !== undefined) expect(text).toBe(contentOf(rest[0]));
      for (const header of more) expectHeader(headers, header);
    }
  });
});

function readExample(section: string): Example {
  const title = section.slice(0, section.indexOf('\n'));
  const blockOf = (name: string) => section.split(`\n\`\`\`${name}\n`)[1]?.split('\n```')[0];
  const names = blockOf('files')?.split('\n') ?? [];
  const files = Object.fromEntries(names.map((name) => [name, contentOf(name)]));
  for (const name of ['_redirects', '_headers']) {
    const rules = blockOf(name);
    if (rules !== undefined) files[name] = `${rules}\n`;
  }
  const rows = section.split('\n').flatMap((line) => {
    const [, path, response] = /^\| `(\/[^`]*)` \| (\d.*) \|$/.exec(line) ?? [];
    return path && response ? [{ path, answer: response }] : [];
  });
  return { title, files, rows };
}

function contentOf(name: string): string {
  return `the file ${name}`;
}

/** Joins what was split at a comma between backticks. */
function joinInsideCode(parts: string[], part: string): string[] {
  const last = parts.at(-1);
  const isInside = last !== undefined && last.split('`').length % 2 === 0;
  return isInside ? [...parts.slice(0, -1), `${last}, ${part}`] : [...parts, part];
}

function expectHeader(headers: Record<string, string | string[] | undefined>, said: string): void {
  const [, absent, name = '', value] = /^(no )?`([^:`]+)(?:: (.*))?`$/.exec(said) ?? [];
  const found = headers[name.toLowerCase()];
  if (absent) expect(found, said).toBeUndefined();
  else expect(found, said).toBe(value);
}
