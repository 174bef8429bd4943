import { describe, expect, it, vi } from 'vitest';
import { type ObjectRequest, TransferError } from './send-object.ts';
import {
  abandonUpload,
  PART_BYTES,
  partBytesOf,
  type SignedOperation,
  type UploadPorts,
  uploadObject,
} from './upload-object.ts';

interface Sent {
  operation: string;
  part: number | null;
  size: number;
  headers: Readonly<Record<string, string>>;
}

/** A storage that stores parts, and fails when told to. */
function fakeStorage(options: { fails?: (sent: Sent) => Error | null; size?: number } = {}) {
  const sent: Sent[] = [];
  const parts = new Map<number, number>();
  const uploads = new Map<string, string>();
  let isUploading = false;
  const ports: UploadPorts = {
    sign: async (key, asked: SignedOperation) =>
      asked.operation === 'upload_parts'
        ? asked.part_numbers.map((number) => `${key}?upload_parts&${number}`)
        : [`${key}?${asked.operation}&`],
    async send({ url, body, headers = {}, onBytes, signal }: ObjectRequest) {
      signal.throwIfAborted();
      const [operation = '', number = ''] = (url.split('?')[1] ?? '').split('&');
      const part = number === '' ? null : Number(number);
      const size = typeof body === 'string' ? body.length : (body?.size ?? 0);
      const request = { operation, part, size, headers };
      sent.push(request);
      const failure = options.fails?.(request) ?? null;
      if (failure !== null) throw failure;
      onBytes?.(size);
      if (operation === 'create_upload') isUploading = true;
      if (operation === 'list_parts' && !isUploading) throw new TransferError('NoSuchUpload', 404);
      if (part !== null) parts.set(part, size);
      const listed = [...parts].map(
        ([each, bytes]) =>
          `<Part><PartNumber>${each}</PartNumber><ETag>&quot;e${each}&quot;</ETag><Size>${bytes}</Size></Part>`,
      );
      const text = operation === 'create_upload' ? '<UploadId>upload-1</UploadId>' : listed.join('');
      return { text, etag: part === null ? '' : `"e${part}"` };
    },
    sizeOf: async () => options.size ?? null,
    wait: async () => undefined,
    remembered: {
      find: (key) => uploads.get(key) ?? null,
      keep: (key, _file, id) => void (id === null ? uploads.delete(key) : uploads.set(key, id)),
    },
  };
  return { ports, sent, parts, uploads };
}

const fileOf = (size: number, type = '') => new File([new Uint8Array(size)], 'file', { type });
const upload = (ports: UploadPorts, file: File, more: object = {}) =>
  uploadObject(ports, {
    key: 'key',
    file,
    isReplacing: false,
    onBytes: () => undefined,
    signal: new AbortController().signal,
    ...more,
  });
const operationsOf = (sent: readonly Sent[]) =>
  sent.map(({ operation, part }) => (part === null ? operation : `part ${part}`));
const LARGE = 2 * PART_BYTES + 5;

describe('an upload', () => {
  it('of a small file is one request, which replaces nothing', async () => {
    const { ports, sent } = fakeStorage();
    await upload(ports, fileOf(3, 'image/png'));
    await upload(ports, fileOf(3), { isReplacing: true });
    expect(sent.map(({ headers }) => headers)).toEqual([
      { 'content-type': 'image/png', 'if-none-match': '*' },
      { 'content-type': 'application/octet-stream' },
    ]);
  });

  it('of a text declares UTF-8 if it is', async () => {
    const { ports, sent } = fakeStorage();
    const latin1 = new Uint8Array([0xe9, 0x74, 0xe9]);
    for (const content of ['été', latin1])
      await upload(ports, new File([content], 'a', { type: 'text/plain' }));
    expect(sent.map(({ headers }) => headers['content-type'])).toEqual([
      'text/plain; charset=utf-8',
      'text/plain',
    ]);
  });

  it('of a large file goes in parts', async () => {
    const { ports, sent, parts, uploads } = fakeStorage();
    const heard: number[] = [];
    await upload(ports, fileOf(LARGE), { onBytes: (bytes: number) => heard.push(bytes) });
    expect(operationsOf(sent).toSorted()).toEqual(
      ['create_upload', 'list_parts', 'part 1', 'part 2', 'part 3', 'complete_upload'].toSorted(),
    );
    expect([...parts.values()].toSorted((a, b) => a - b)).toEqual([5, PART_BYTES, PART_BYTES]);
    expect(heard.at(-1)).toBe(LARGE);
    expect(uploads.size).toBe(0);
  });

  it.each([
    ['one part at a time over a slow line, so that a pause costs one', 3_000, 1],
    ['three parts at a time over a quick line', 100, 3],
  ])('sends %s', async (_, msPerPart, most) => {
    const { ports } = fakeStorage();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    let open = 0;
    let mostOpen = 0;
    const send: UploadPorts['send'] = async (request) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise((resolve) => setTimeout(resolve));
      now += msPerPart;
      open -= 1;
      return ports.send(request);
    };
    await upload({ ...ports, send }, fileOf(5 * PART_BYTES + 5));
    clock.mockRestore();
    expect(mostOpen).toBe(most);
  });

  it('continues with the existing parts', async () => {
    const { ports, sent } = fakeStorage({
      fails: ({ part }) => (part === 2 && sent.length < 20 ? new TransferError('AccessDenied', 403) : null),
    });
    await expect(upload(ports, fileOf(LARGE))).rejects.toMatchObject({ code: 'AccessDenied' });
    const before = sent.length;
    sent.push(...Array.from({ length: 20 }, () => ({ operation: '', part: null, size: 0, headers: {} })));
    await upload(ports, fileOf(LARGE));
    expect(operationsOf(sent.slice(before + 20))).toEqual(['list_parts', 'part 2', 'complete_upload']);
  });

  it('retries while the network or the storage is down, and gives up in the end', async () => {
    let failures = 3;
    const { ports, sent } = fakeStorage({
      fails: () => (failures-- > 0 ? new TransferError('network', 0) : null),
    });
    await upload(ports, fileOf(3));
    expect(sent).toHaveLength(4);
    failures = 100;
    await expect(upload(ports, fileOf(3))).rejects.toMatchObject({ code: 'network' });
    expect(sent).toHaveLength(10);
  });

  it('fails at once for a reason that does not pass', async () => {
    const { ports, sent } = fakeStorage({ fails: () => new TransferError('AccessDenied', 403) });
    await expect(upload(ports, fileOf(3))).rejects.toMatchObject({ code: 'AccessDenied' });
    expect(sent).toHaveLength(1);
  });

  it('is refused immediately when there is an object, before bytes are sent', async () => {
    const { ports, sent } = fakeStorage({ size: 1 });
    await expect(upload(ports, fileOf(LARGE))).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(sent).toEqual([]);
    await upload(ports, fileOf(LARGE), { isReplacing: true });
    expect(sent.at(-1)).toMatchObject({ operation: 'complete_upload', headers: {} });
  });

  it('starts over when the storage has abandoned it', async () => {
    const { ports, uploads } = fakeStorage();
    uploads.set('key', 'gone');
    await expect(upload(ports, fileOf(LARGE))).rejects.toMatchObject({ code: 'NoSuchUpload' });
    expect(uploads.size).toBe(0);
    await upload(ports, fileOf(LARGE));
  });

  it('whose completion arrived although its response was lost is complete', async () => {
    const options = { fails: (_: Sent): Error | null => null, size: 0 };
    const { ports, uploads } = fakeStorage(options);
    let completions = 0;
    options.fails = ({ operation }) => {
      if (operation !== 'complete_upload') return null;
      completions += 1;
      options.size = LARGE;
      return completions === 1 ? new TransferError('network', 0) : new TransferError('NoSuchUpload', 404);
    };
    await upload(ports, fileOf(LARGE), { isReplacing: true });
    expect([completions, uploads.size]).toEqual([2, 0]);
  });

  it('that another tab has completed meets its object, and the next attempt starts over', async () => {
    const options: Parameters<typeof fakeStorage>[0] = {};
    const { ports, uploads } = fakeStorage(options);
    options.fails = ({ part }) => {
      if (part !== 2) return null;
      options.size = LARGE;
      return new TransferError('NoSuchUpload', 404);
    };
    await expect(upload(ports, fileOf(LARGE))).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(uploads.size).toBe(0);
  });

  it('requests other addresses for its parts after a laptop has slept', async () => {
    const { ports } = fakeStorage();
    const signed: number[] = [];
    const sign: UploadPorts['sign'] = async (key, asked) => {
      if (asked.operation === 'upload_parts') signed.push(asked.part_numbers.length);
      return ports.sign(key, asked);
    };
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    const send: UploadPorts['send'] = async (request) => {
      if (request.url.includes('upload_parts')) now += 3_600_000;
      return ports.send(request);
    };
    await upload({ ...ports, sign, send }, fileOf(LARGE));
    clock.mockRestore();
    expect(signed).toEqual([3, 2, 1]);
  });

  it('that is cancelled abandons what was sent', async () => {
    const { ports, sent, uploads } = fakeStorage();
    await abandonUpload(ports, { key: 'key', file: fileOf(LARGE) });
    expect(sent).toEqual([]);
    uploads.set('key', 'upload-1');
    await abandonUpload(ports, { key: 'key', file: fileOf(LARGE) });
    expect(operationsOf(sent)).toEqual(['abort_upload']);
    expect(uploads.size).toBe(0);
  });

  it('has at most ten thousand parts', () => {
    expect(partBytesOf(LARGE)).toBe(PART_BYTES);
    for (const size of [100 * 1024 ** 3, 5 * 1024 ** 4]) {
      expect(Math.ceil(size / partBytesOf(size))).toBeLessThanOrEqual(10_000);
    }
  });
});
