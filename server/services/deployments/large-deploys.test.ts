import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { sha256Of } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { loadEdgeVersion } from '../serving/load-edge-version.ts';
import { createSite } from '../sites/create-site.ts';
import { deployArchive } from './archives/deploy-archive.ts';
import { writeVersionArchive } from './archives/write-version-archive.ts';
import { collectGarbage } from './blobs/collect-garbage.ts';
import { uploadBlob } from './blobs/upload-blob.ts';
import { cancelVersion } from './cancel-version.ts';
import { addVersionFiles } from './manifests/add-version-files.ts';
import { openVersion } from './open-version.ts';
import { sealVersion } from './seal-version.ts';

/** What would be one block is one on either engine; PostgreSQL takes twice as long. */
const FILES = engine === 'postgres' ? 4_000 : 10_000;
const DAY = 24 * 60 * 60 * 1000;
/** A step that is split into slices stays far below; one that has become a single block is far above. */
const LONGEST_SHARE = 0.5;
/** A busy machine takes a minute for so many files. */
const PATIENCE = { timeout: 240_000 };

/** Files with the same content, so that a test need not store thousands. */
function manyFiles() {
  const entry = { sha256: sha256Of('x'), size: 1 };
  return Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`f/${index % 300}/${index}`, entry]),
  );
}

async function archiveOfManyFiles(): Promise<Buffer> {
  const tar = pack();
  for (const name of Object.keys(manyFiles())) tar.entry({ name }, 'x');
  tar.finalize();
  return buffer(tar);
}

async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { id: site_id } = await createSite(context, { name: 'blog' });
  const openWithFiles = async () => {
    const { id: version_id } = await openVersion(context, { site_id });
    const version = { site_id, version_id };
    const added = await countTurns(() => addVersionFiles(context, { ...version, files: manyFiles() }));
    return { version, added };
  };
  return { app, context, site_id, openWithFiles };
}

it('no step of a deploy of thousands of files blocks other work until it is done', PATIENCE, async () => {
  const { app, context, openWithFiles } = await prepare();
  const { version, added } = await openWithFiles();
  const content = Readable.from([Buffer.from('x')]);
  await uploadBlob(context, { ...version, sha256: sha256Of('x') }, content);
  const sealed = await countTurns(() => sealVersion(context, version));
  const seen = await countTurns(() => loadEdgeVersion(app, version.version_id));
  expect(seen.result?.files.size).toBe(FILES);
  const taken = await countTurns(async () => {
    const { stream } = await writeVersionArchive(context, version);
    return buffer(stream);
  });
  const again = await openWithFiles();
  const dropped = await countTurns(() => cancelVersion(context, again.version));
  for (const { longestShare } of [added, sealed, seen, taken, dropped]) {
    expect(longestShare).toBeLessThan(LONGEST_SHARE);
  }
});

it('nor does an archive of thousands of files, nor collecting an abandoned version', PATIENCE, async () => {
  const { app, context, site_id, openWithFiles } = await prepare();
  const bytes = await archiveOfManyFiles();
  const parts = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
  const deployed = await countTurns(() =>
    deployArchive(context, { site_id }, { type: 'tar', content: Readable.from(parts) }),
  );
  expect(deployed.result.file_count).toBe(FILES);
  await openWithFiles();
  app.clock.advance(2 * DAY);
  const job = { app, actor: { kind: 'job', name: 'collect-garbage' }, requestId: '', address: '' } as const;
  const collected = await countTurns(() => collectGarbage(job));
  expect(collected.result.versions).toBe(1);
  for (const { longestShare } of [deployed, collected]) expect(longestShare).toBeLessThan(LONGEST_SHARE);
});
