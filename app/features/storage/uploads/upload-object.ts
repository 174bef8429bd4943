import { CONSOLE_ADDRESS_SECONDS, SIGNED_PARTS_MAX } from '#server/services/storage/rules.ts';
import { type ObjectRequest, type ObjectResponse, TransferError } from './send-object.ts';

const MIB = 1024 ** 2;
/** Larger files are sent in parts, so that a lost connection costs one part. */
export const PART_BYTES = 8 * MIB;
const PARTS_MAX = 10_000;
const PARTS_AT_ONCE = 3;
/** A part that arrives within this time shows a line on which several at once are no risk. */
const QUICK_PART_MS = 2_000;
const ATTEMPTS = 6;
const PAUSE_MS = 1_000;
/** A signed address is not used after half its time: a part that begins then still arrives, and a laptop may have slept meanwhile. */
const ADDRESS_MS = (CONSOLE_ADDRESS_SECONDS * 1_000) / 2;

/** The purpose of a signed address. */
export type SignedOperation =
  | { operation: 'put' | 'create_upload' }
  | { operation: 'upload_parts'; upload_id: string; part_numbers: number[] }
  | { operation: 'list_parts'; upload_id: string; after_part: number }
  | { operation: 'complete_upload' | 'abort_upload'; upload_id: string };

/** Everything that an upload needs from the page. */
export interface UploadPorts {
  sign(key: string, asked: SignedOperation): Promise<string[]>;
  send(request: ObjectRequest): Promise<ObjectResponse>;
  /** The size of the object at the key, or null if there is none. */
  sizeOf(key: string): Promise<number | null>;
  /** Resolves after the given time, rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Which multipart uploads this browser has started, so that choosing a file again continues them. */
  remembered: {
    find(key: string, file: File): string | null;
    keep(key: string, file: File, id: string | null): void;
  };
}

export interface Upload {
  key: string;
  file: File;
  /** Whether an object at the key may be replaced. */
  isReplacing: boolean;
  onBytes: (sent: number) => void;
  signal: AbortSignal;
}

/**
 * Sends a file to a key: small ones in one request, others in parts, of which those that arrived before are
 * not sent again.
 * @throws TransferError, `PreconditionFailed` when there is an object that must not be replaced; the signal's
 * reason
 */
export async function uploadObject(ports: UploadPorts, upload: Upload): Promise<void> {
  const { file, key } = upload;
  const headers = { ...(await typeOf(file)), ...conditionOf(upload) };
  if (file.size <= PART_BYTES) {
    await persist(ports, upload, async () => {
      const url = await signOne(ports, key, { operation: 'put' });
      await ports.send({
        method: 'PUT',
        url,
        headers,
        body: file,
        onBytes: upload.onBytes,
        signal: upload.signal,
      });
    });
    return;
  }
  // Checked before the bytes are sent, and decided when they have arrived.
  if (!upload.isReplacing && (await isTaken(ports, upload)))
    throw new TransferError('PreconditionFailed', 412);
  const id = await findOrCreate(ports, upload);
  try {
    await complete(ports, upload, id, await sendParts(ports, upload, id));
  } catch (error) {
    if (!isGone(error)) throw error;
    // Abandoned meanwhile: the next attempt starts over. Or another tab has completed it.
    ports.remembered.keep(key, file, null);
    if (!upload.isReplacing && (await isTaken(ports, upload)))
      throw new TransferError('PreconditionFailed', 412);
    throw error;
  }
  ports.remembered.keep(key, file, null);
}

async function isTaken(ports: UploadPorts, upload: Upload): Promise<boolean> {
  return (await persist(ports, upload, () => ports.sizeOf(upload.key))) !== null;
}

const isGone = (error: unknown) => error instanceof TransferError && error.code === 'NoSuchUpload';

async function complete(
  ports: UploadPorts,
  upload: Upload,
  id: string,
  parts: readonly string[],
): Promise<void> {
  const { key, file, signal } = upload;
  const body = `<CompleteMultipartUpload>${parts
    .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;
  let attempts = 0;
  await persist(ports, upload, async () => {
    const url = await signOne(ports, key, { operation: 'complete_upload', upload_id: id });
    attempts += 1;
    try {
      await ports.send({ method: 'POST', url, headers: conditionOf(upload), body, signal });
    } catch (error) {
      // An earlier attempt has completed it, and its response was lost.
      const wasLost = isGone(error) && attempts > 1;
      if (!wasLost || (await ports.sizeOf(key)) !== file.size) throw error;
    }
  });
}

/** Abandons what was sent of a file in parts; does nothing when there is nothing. */
export async function abandonUpload(
  ports: UploadPorts,
  { key, file }: Pick<Upload, 'key' | 'file'>,
): Promise<void> {
  const id = ports.remembered.find(key, file);
  if (id === null) return;
  ports.remembered.keep(key, file, null);
  const url = await signOne(ports, key, { operation: 'abort_upload', upload_id: id });
  await ports.send({ method: 'DELETE', url, signal: AbortSignal.timeout(30_000) });
}

async function findOrCreate(ports: UploadPorts, upload: Upload): Promise<string> {
  const { key, file, signal } = upload;
  const known = ports.remembered.find(key, file);
  if (known !== null) return known;
  return persist(ports, upload, async () => {
    const url = await signOne(ports, key, { operation: 'create_upload' });
    const { text } = await ports.send({ method: 'POST', url, headers: await typeOf(file), signal });
    const id = /<UploadId>([\w-]{1,64})<\/UploadId>/.exec(text)?.[1];
    if (id === undefined) throw new TransferError('unknown', 200);
    ports.remembered.keep(key, file, id);
    return id;
  });
}

/** Sends the missing parts. Returns the ETag of each. */
async function sendParts(ports: UploadPorts, upload: Upload, id: string): Promise<string[]> {
  const { file, key, onBytes, signal } = upload;
  const partBytes = partBytesOf(file.size);
  const count = Math.ceil(file.size / partBytes);
  const sizeOf = (number: number) => Math.min(partBytes, file.size - (number - 1) * partBytes);
  const there = await listParts(ports, upload, id);
  const etags: string[] = [];
  const missing: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    const part = there.get(number);
    if (part !== undefined && part.size === sizeOf(number)) etags[number - 1] = part.etag;
    else missing.push(number);
  }
  const underWay = new Map<number, number>();
  let arrived = file.size - missing.reduce((sum, number) => sum + sizeOf(number), 0);
  const tell = () => onBytes(arrived + [...underWay.values()].reduce((sum, sent) => sum + sent, 0));
  tell();
  const addresses = new Map<number, { url: string; until: number }>();
  const sendPart = async (number: number) => {
    const start = (number - 1) * partBytes;
    const etag = await persist(ports, upload, async () => {
      if ((addresses.get(number)?.until ?? 0) < Date.now()) {
        const from = missing.indexOf(number);
        const part_numbers = missing.slice(from, from + SIGNED_PARTS_MAX);
        const until = Date.now() + ADDRESS_MS;
        const urls = await ports.sign(key, { operation: 'upload_parts', upload_id: id, part_numbers });
        part_numbers.forEach((each, index) => {
          addresses.set(each, { url: urls[index] ?? '', until });
        });
      }
      const url = addresses.get(number)?.url ?? '';
      // Another attempt requests another address.
      addresses.delete(number);
      const body = file.slice(start, start + sizeOf(number));
      const onPartBytes = (sent: number) => {
        underWay.set(number, Math.min(sent, sizeOf(number)));
        tell();
      };
      return (await ports.send({ method: 'PUT', url, body, onBytes: onPartBytes, signal })).etag;
    });
    etags[number - 1] = etag;
    underWay.delete(number);
    arrived += sizeOf(number);
    tell();
  };
  const waiting = [...missing];
  // A slow line takes one part at a time: every part under way is lost with the connection, or by a pause.
  let atOnce = 1;
  const work = async (): Promise<void> => {
    const others: Promise<void>[] = [];
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const startedAt = performance.now();
      await sendPart(number);
      if (atOnce === PARTS_AT_ONCE || performance.now() - startedAt > QUICK_PART_MS) continue;
      atOnce += 1;
      const other = work();
      // Awaited below; until then its failure must not be an unhandled rejection.
      other.catch(() => undefined);
      others.push(other);
    }
    await Promise.all(others);
  };
  await work();
  return etags;
}

interface StoredPart {
  etag: string;
  size: number;
}

async function listParts(ports: UploadPorts, upload: Upload, id: string): Promise<Map<number, StoredPart>> {
  const parts = new Map<number, StoredPart>();
  for (let after = 0; ; ) {
    const text = await persist(ports, upload, async () => {
      const url = await signOne(ports, upload.key, {
        operation: 'list_parts',
        upload_id: id,
        after_part: after,
      });
      return (await ports.send({ method: 'GET', url, signal: upload.signal })).text;
    });
    for (const part of text.split('<Part>').slice(1)) {
      const [, etag = ''] = /<ETag>([^<]*)</.exec(part) ?? [];
      after = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
      const size = Number(/<Size>(\d+)</.exec(part)?.[1]);
      parts.set(after, { etag: etag.replaceAll('&quot;', '"'), size });
    }
    if (!text.includes('<IsTruncated>true</IsTruncated>')) return parts;
  }
}

/** With parts of this size, a file has at most ten thousand. */
export function partBytesOf(size: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX / MIB) * MIB);
}

/**
 * Repeats a step while the network or the storage is down, with growing pauses.
 * @throws what the last attempt throws
 */
async function persist<T>(
  ports: Pick<UploadPorts, 'wait'>,
  { signal }: Pick<Upload, 'signal'>,
  step: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted || attempt === ATTEMPTS || !isPassing(error)) throw error;
      await ports.wait(PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}

/** Whether retrying may help: the network, a busy or unavailable server, an expired address. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof TransferError)) return false;
  const { code, status } = error;
  return code === 'network' || status >= 500 || code === 'RequestTimeout' || code === 'IncompleteBody';
}

async function signOne(ports: UploadPorts, key: string, asked: SignedOperation): Promise<string> {
  const [url = ''] = await ports.sign(key, asked);
  return url;
}

/** How much of a text is checked for UTF-8. */
const TEXT_SAMPLE_BYTES = 64 * 1024;

/**
 * The type that the browser detects; text in UTF-8 is declared as such, or a link to it would be read as
 * Latin-1.
 */
async function typeOf(file: File): Promise<{ 'content-type': string }> {
  const type = file.type || 'application/octet-stream';
  if (!/^text\/[\w.+-]+$/.test(type)) return { 'content-type': type };
  const sample = await file.slice(0, TEXT_SAMPLE_BYTES).arrayBuffer();
  try {
    // A character that the end of the sample cuts does not count against the text.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
  } catch {
    return { 'content-type': type };
  }
  return { 'content-type': `${type}; charset=utf-8` };
}

function conditionOf({ isReplacing }: Pick<Upload, 'isReplacing'>): Record<string, string> {
  return isReplacing ? {} : { 'if-none-match': '*' };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
