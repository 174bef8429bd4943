import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { DeployReport } from '#server/services/deployments/schema.ts';
import { createDeployJob, type DeployPorts, type DeployProgress } from './deploy-job.ts';
import { SINGLE_BYTES_MIN } from './plan-uploads.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const picked = (path: string, text: string) => ({ path, file: new File([text], path) });
const never = new AbortController().signal;

class Interruption extends Error {}
class VersionGone extends Error {}
class VersionSealed extends Error {}

/** A server in memory: it remembers the content it received and may fail a number of requests. */
function fakeServer(
  options: { failSends?: number; failWith?: () => Error; known?: string[]; loseSealResponses?: number } = {},
) {
  const stored = new Set(options.known ?? []);
  const log: string[] = [];
  const versions = new Map<string, string[]>();
  const sealed = new Set<string>();
  let lostResponses = options.loseSealResponses ?? 0;
  let failures = options.failSends ?? 0;
  const maybeFail = () => {
    if (failures <= 0) return;
    failures -= 1;
    throw options.failWith?.() ?? new Interruption('offline');
  };
  const missingOf = (id: string) => {
    const hashes = versions.get(id);
    if (!hashes) throw new VersionGone('gone');
    return hashes.filter((hash) => !stored.has(hash));
  };
  const ports: DeployPorts = {
    readLimits: async () => ({ files: 100, file_bytes: 100_000_000, version_bytes: 1_000_000_000 }),
    async open(files) {
      const id = `v${versions.size + 1}`;
      log.push(`open ${id}`);
      versions.set(id, [...new Set(files.map((file) => file.sha256))]);
      return { id, missing: missingOf(id) };
    },
    async listMissing(id) {
      log.push(`missing ${id}`);
      if (sealed.has(id)) throw new VersionSealed('sealed');
      return missingOf(id);
    },
    async sendBatch(_, tar, onBytes) {
      const reader = extract();
      Readable.from([Buffer.from(await tar.arrayBuffer())]).pipe(reader);
      for await (const entry of reader) {
        maybeFail();
        const chunks: Buffer[] = [];
        for await (const chunk of entry) chunks.push(Buffer.from(chunk as Uint8Array));
        expect(hashOf(Buffer.concat(chunks).toString())).toBe(entry.header.name);
        stored.add(entry.header.name);
      }
      onBytes(tar.size);
      log.push('batch');
    },
    async sendSingle(_, { sha256, content }, onBytes) {
      maybeFail();
      expect(hashOf(await content.text())).toBe(sha256);
      onBytes(content.size);
      stored.add(sha256);
      log.push('single');
    },
    async seal(id) {
      log.push(`seal ${id}`);
      expect(missingOf(id)).toEqual([]);
      sealed.add(id);
      lostResponses -= 1;
      if (lostResponses >= 0) throw new Interruption('the answer was lost');
      return { version_id: id } as DeployReport;
    },
    isInterruption: (error) => error instanceof Interruption,
    isVersionSealed: (error) => error instanceof VersionSealed,
    isVersionGone: (error) => error instanceof VersionGone,
    wait: async () => undefined,
  };
  return { ports, log, versions, stored };
}

describe('a deploy job', () => {
  it('refuses a folder over a limit before it reads any of it', async () => {
    const { ports, log } = fakeServer();
    const files = Array.from({ length: 101 }, (_, index) => picked(`${index}.txt`, 'x'));
    const progress: DeployProgress[] = [];
    const run = createDeployJob(files, ports).run((step) => progress.push(step), never);
    await expect(run).rejects.toMatchObject({ shape: { code: 'limit_files', params: { limit: 100 } } });
    expect([progress, log]).toEqual([[], []]);
  });

  it('sends what is missing, small files in one batch and large ones alone, then seals', async () => {
    const { ports, log } = fakeServer({ known: [hashOf('known')] });
    const large = 'x'.repeat(SINGLE_BYTES_MIN);
    const files = [picked('a', 'one'), picked('b', 'two'), picked('c', 'known'), picked('d', large)];
    const progress: DeployProgress[] = [];
    const report = await createDeployJob(files, ports).run((step) => progress.push(step), never);
    expect(report.version_id).toBe('v1');
    expect([...log].sort()).toEqual(['batch', 'open v1', 'seal v1', 'single']);
    expect(progress[0]).toMatchObject({ step: 'hashing', filesDone: 0, filesTotal: 4 });
    expect(progress.at(-1)).toEqual({ step: 'publishing' });
    const uploads = progress.flatMap((step) => (step.step === 'uploading' ? [step] : []));
    expect(uploads.at(-1)).toMatchObject({ filesDone: 3, filesTotal: 3, bytesDone: large.length + 6 });
    const done = uploads.map((step) => step.bytesDone);
    expect(done).toEqual([...done].sort((a, b) => a - b));
  });

  it('uploads nothing when nothing is missing', async () => {
    const { ports, log } = fakeServer({ known: [hashOf('same')] });
    await createDeployJob([picked('a', 'same')], ports).run(() => undefined, never);
    expect(log).toEqual(['open v1', 'seal v1']);
  });

  it('continues automatically after an interruption, in the same version', async () => {
    const { ports, log } = fakeServer({ failSends: 2 });
    await createDeployJob([picked('a', '1'), picked('b', '2')], ports).run(() => undefined, never);
    expect(log).toEqual(['open v1', 'missing v1', 'missing v1', 'batch', 'seal v1']);
  });

  it('gives up after several interruptions, and a later run sends only what is still missing', async () => {
    const { ports, log, stored } = fakeServer({ failSends: 4 });
    const job = createDeployJob([picked('a', '1')], ports);
    await expect(job.run(() => undefined, never)).rejects.toThrow('offline');
    expect(stored.size).toBe(0);
    await job.run(() => undefined, never);
    expect(log.slice(-3)).toEqual(['missing v1', 'batch', 'seal v1']);
  });

  it('stops immediately at a refusal', async () => {
    const { ports, log } = fakeServer({ failSends: 1, failWith: () => new Error('refused') });
    await expect(createDeployJob([picked('a', '1')], ports).run(() => undefined, never)).rejects.toThrow(
      'refused',
    );
    expect(log).toEqual(['open v1']);
  });

  it('opens another version when its own is gone', async () => {
    const { ports, log, versions } = fakeServer({ failSends: 4 });
    const job = createDeployJob([picked('a', '1')], ports);
    await expect(job.run(() => undefined, never)).rejects.toThrow('offline');
    versions.set('v0', []);
    versions.delete('v1');
    await job.run(() => undefined, never);
    expect(job.versionId).toBe('v2');
    expect(log.slice(-2)).toEqual(['batch', 'seal v2']);
  });

  it('gets the report of a version that was sealed although the response was lost', async () => {
    const { ports, log } = fakeServer({ loseSealResponses: 1 });
    const job = createDeployJob([picked('a', '1')], ports);
    await expect(job.run(() => undefined, never)).rejects.toThrow('lost');
    expect((await job.run(() => undefined, never)).version_id).toBe('v1');
    expect(log.slice(-2)).toEqual(['missing v1', 'seal v1']);
  });

  it('ends without sealing when it is cancelled', async () => {
    const { ports, log } = fakeServer();
    const cancel = new AbortController();
    const run = createDeployJob([picked('a', '1')], ports).run((progress) => {
      if (progress.step === 'uploading') cancel.abort(new Error('cancelled'));
    }, cancel.signal);
    await expect(run).rejects.toThrow('cancelled');
    expect(log).not.toContain('seal v1');
  });
});
