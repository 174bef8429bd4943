import type { DeployReport } from '#server/services/deployments/schema.ts';
import { checkLimits, type DeployLimits } from './check-limits.ts';
import { hashBlob } from './hash-blob.ts';
import type { PickedFile } from './picked-files.ts';
import { type HashedFile, planUploads, type UploadTask } from './plan-uploads.ts';
import { writeTar } from './write-tar.ts';

/** The progress of a deploy; numbers only grow within a step. */
export type DeployProgress =
  | {
      step: 'hashing' | 'uploading';
      filesDone: number;
      filesTotal: number;
      bytesDone: number;
      bytesTotal: number;
    }
  | { step: 'publishing' };

/** The calls a deploy makes. */
export interface DeployPorts {
  /** The limits of the server for one version; null when they cannot be read now. */
  readLimits(signal: AbortSignal): Promise<DeployLimits | null>;
  open(files: HashedFile[], signal: AbortSignal): Promise<{ id: string; missing: string[] }>;
  listMissing(versionId: string, signal: AbortSignal): Promise<string[]>;
  sendBatch(
    versionId: string,
    tar: Blob,
    onBytes: (sent: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  sendSingle(
    versionId: string,
    file: { sha256: string; content: Blob },
    onBytes: (sent: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  seal(versionId: string, signal: AbortSignal): Promise<DeployReport>;
  /** Whether continuing with what is missing may help: the network failed, and nothing was refused. */
  isInterruption(error: unknown): boolean;
  /** Whether the version opened earlier is gone, so that another has to be opened. */
  isVersionGone(error: unknown): boolean;
  /** Whether the version was sealed after all, although the response was lost. */
  isVersionSealed(error: unknown): boolean;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface DeployJob {
  /** The version opened so far; a cancelled deploy leaves it behind. */
  versionId: string | null;
  /**
   * Deploys, or continues after a failure with what is still missing, and returns the report.
   * @throws what stopped it
   */
  run(onProgress: (progress: DeployProgress) => void, signal: AbortSignal): Promise<DeployReport>;
}

const HASHED_AT_ONCE = 4;
const SENT_AT_ONCE = 3;
/** Pauses before continuing automatically after an interruption; after the last one, the person is asked. */
const RESUME_AFTER_MS = [500, 1500, 4000];

/** Returns a deploy of these files: hash, open a version, send what is missing, seal and publish. */
export function createDeployJob(picked: readonly PickedFile[], ports: DeployPorts): DeployJob {
  let hashed: HashedFile[] | null = null;
  const job: DeployJob = {
    versionId: null,
    async run(onProgress, signal) {
      if (hashed === null) checkLimits(picked, await ports.readLimits(signal));
      hashed ??= await hashAll(picked, onProgress, signal);
      let missing = await openOrResume(job, hashed, ports, signal);
      for (let attempt = 0; missing.length > 0; attempt += 1) {
        const versionId = requireVersion(job);
        try {
          await sendAll(planUploads(hashed, missing), versionId, ports, onProgress, signal);
          break;
        } catch (error) {
          const pause = RESUME_AFTER_MS[attempt];
          if (signal.aborted || pause === undefined || !ports.isInterruption(error)) throw error;
          await ports.wait(pause, signal);
          missing = await ports.listMissing(versionId, signal);
        }
      }
      signal.throwIfAborted();
      onProgress({ step: 'publishing' });
      return ports.seal(requireVersion(job), signal);
    },
  };
  return job;
}

/**
 * Returns the files that the server still needs for the job's version, which is opened if there is none (any
 * more).
 */
async function openOrResume(
  job: DeployJob,
  files: HashedFile[],
  ports: DeployPorts,
  signal: AbortSignal,
): Promise<string[]> {
  if (job.versionId !== null) {
    try {
      return await ports.listMissing(job.versionId, signal);
    } catch (error) {
      // Sealing again returns the same report.
      if (ports.isVersionSealed(error)) return [];
      if (!ports.isVersionGone(error)) throw error;
    }
  }
  const opened = await ports.open(files, signal);
  job.versionId = opened.id;
  return opened.missing;
}

function requireVersion(job: DeployJob): string {
  if (job.versionId === null) throw new Error('no version was opened');
  return job.versionId;
}

async function hashAll(
  picked: readonly PickedFile[],
  onProgress: (progress: DeployProgress) => void,
  signal: AbortSignal,
): Promise<HashedFile[]> {
  const filesTotal = picked.length;
  const bytesTotal = picked.reduce((sum, { file }) => sum + file.size, 0);
  let filesDone = 0;
  let bytesDone = 0;
  const report = () => onProgress({ step: 'hashing', filesDone, filesTotal, bytesDone, bytesTotal });
  report();
  const hashed: HashedFile[] = [];
  await inParallel(picked, HASHED_AT_ONCE, async (file, index) => {
    const count = (bytes: number) => {
      bytesDone += bytes;
      report();
    };
    hashed[index] = { ...file, sha256: await hashBlob(file.file, count, signal) };
    filesDone += 1;
    report();
  });
  return hashed;
}

async function sendAll(
  tasks: readonly UploadTask[],
  versionId: string,
  ports: DeployPorts,
  onProgress: (progress: DeployProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const filesTotal = tasks.reduce((sum, task) => sum + task.files.length, 0);
  const bytesTotal = tasks.reduce((sum, task) => sum + task.bytes, 0);
  /** The fraction of each task that has been sent, between 0 and 1. */
  const shares = tasks.map(() => 0);
  const report = () => {
    const sum = (of: (task: UploadTask) => number) =>
      tasks.reduce((total, task, index) => total + Math.floor(of(task) * (shares[index] ?? 0)), 0);
    onProgress({
      step: 'uploading',
      filesDone: sum((task) => task.files.length),
      filesTotal,
      bytesDone: sum((task) => task.bytes),
      bytesTotal,
    });
  };
  report();
  // One failure stops the others immediately: what they have sent is kept, and the rest is requested again.
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  try {
    await inParallel(tasks, SENT_AT_ONCE, async (task, index) => {
      const setShare = (share: number) => {
        shares[index] = Math.max(shares[index] ?? 0, share);
        report();
      };
      await sendTask(task, versionId, ports, setShare, both);
      setShare(1);
    });
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

async function sendTask(
  task: UploadTask,
  versionId: string,
  ports: DeployPorts,
  setShare: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const [first] = task.files;
  if (task.kind === 'single' && first) {
    const { file, sha256 } = first;
    // Sent does not mean stored: the last hundredth is the server's response.
    const onBytes = (sent: number) => setShare(Math.min(0.99, sent / Math.max(1, file.size)));
    return ports.sendSingle(versionId, { sha256, content: file }, onBytes, signal);
  }
  const tar = writeTar(task.files.map(({ sha256, file }) => ({ name: sha256, content: file })));
  return ports.sendBatch(versionId, tar, (sent) => setShare(Math.min(0.99, sent / tar.size)), signal);
}

/**
 * Runs the work for every item, at most `width` at a time; the first failure is thrown and no further item is
 * started.
 */
async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  let isStopped = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (isStopped) return;
      await work(item, index).catch((error: unknown) => {
        isStopped = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
