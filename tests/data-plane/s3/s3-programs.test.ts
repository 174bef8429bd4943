import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner } from '#tests/support/storage/s3-client.ts';
import {
  FEATURES,
  type ProgramTarget,
  readFolder,
  S3_PROGRAMS,
  writeOddFolder,
} from '#tests/support/storage/s3-programs.ts';

const PAGE = 'docs/storage.md';
const [BEGIN, END] = ['<!-- clients: written by the tests -->', '<!-- clients: end -->'];
/** What a program does in a way that this service refuses. */
const REFUSED: Record<string, string> = { 's3cmd link': 'refused: signed with version 2' };

let server: RunningServer;
let target: ProgramTarget;
let folder: string;
const results = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-clients-'));
  await mkdir(join(folder, 'from'));
  await writeOddFolder(join(folder, 'from'));
  server = shareServer();
  const owner = await registerBucketOwner(server);
  const bucket = await owner.createBucket('clients');
  target = {
    host: `127.0.0.1:${server.s3Port}`,
    bucket: bucket.name,
    keys: await owner.createKeys([bucket.id]),
  };
});
afterAll(async () => {
  await removeFolder(folder);
});

describe.each(Object.entries(S3_PROGRAMS))('%s', (name, program) => {
  const { list, move, link, remove } = program;
  const prefix = `${name}/`;
  const note = (feature: string, result = 'yes') => results.set(`${name} ${feature}`, result);

  it('uploads files with odd names, empty and in parts, and downloads them unchanged', async () => {
    const back = join(folder, name);
    await mkdir(back, { recursive: true });
    await program.copyFolder?.(target, join(folder, 'from'), prefix, back);
    expect(await readFolder(back)).toEqual(await readFolder(join(folder, 'from')));
    note('copyFolder');
  });

  if (list)
    it('lists them', async () => {
      const listed = await list(target, prefix);
      for (const file of ['plain.txt', '100% été 日本 😀.txt', 'deep/er/file.bin'])
        expect(listed).toContain(file);
      note('list');
    });

  if (move)
    it('moves one', async () => {
      await move(target, `${prefix}plain.txt`, `${prefix}moved é.txt`);
      expect(await list?.(target, prefix)).toContain('moved é.txt');
      note('move');
    });

  if (link)
    it('creates a link to one', async () => {
      const response = await fetch(await link(target, `${prefix}deep/er/file.bin`));
      const refused = REFUSED[`${name} link`];
      expect(response.status).toBe(refused === undefined ? 200 : 400);
      if (refused === undefined) expect((await response.arrayBuffer()).byteLength).toBe(70_000);
      note('link', refused);
    });

  if (remove)
    it('deletes them', async () => {
      await remove(target, prefix);
      const listed = await list?.(target, prefix).catch(() => '');
      expect(listed).not.toContain('file.bin');
      note('remove');
    });
});

it('is as described in the table of the documentation', async () => {
  const head = ['client', 'folders both ways', 'list', 'move', 'link', 'delete'];
  const rows = Object.keys(S3_PROGRAMS).map((name) => [
    name,
    ...FEATURES.map((feature) => results.get(`${name} ${feature}`) ?? '–'),
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const page = await readFile(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [written = '', after = ''] = rest.split(END);
  if (process.env.RECORD === '1') await writeFile(PAGE, `${before}${BEGIN}\n${table}\n${END}${after}`);
  else expect(written.trim()).toBe(table);
});
