import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const SOURCES = new URL('../../cli/src/', import.meta.url);
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Progress {
  start(label: string, total: number): void;
  advance(bytes: number): void;
  note(label: string): void;
  retry(text: string): void;
}

/** Returns the progress of a run without a terminal, and what it has written so far. */
async function openProgress(terminal: { isTTY?: true; columns?: number } = {}) {
  const { Progress } = (await import(new URL('progress.mjs', SOURCES).href)) as {
    Progress: new (options: { isSilent: boolean; stream: NodeJS.WritableStream }) => Progress;
  };
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal);
  const progress = new Progress({ isSilent: false, stream });
  return {
    progress,
    lines: () =>
      String(stream.read() ?? '')
        .split('\n')
        .slice(0, -1),
  };
}

describe('without a terminal, portage', () => {
  it('prints a line at least every half minute, for runners that end a silent job', async () => {
    const { progress, lines } = await openProgress();
    progress.start('Uploading 2 new files', 2048);
    expect(lines()).toEqual(['Uploading 2 new files (2.0 KB)']);
    vi.advanceTimersByTime(6_000);
    progress.advance(1024);
    expect(lines()).toEqual(['Uploading 2 new files: 1.0 KB of 2.0 KB']);
    vi.advanceTimersByTime(59_000);
    expect(lines()).toEqual(['Uploading 2 new files: 1.0 KB of 2.0 KB']);
    progress.note('Publishing');
    vi.advanceTimersByTime(60_000);
    expect(lines()).toEqual(['Publishing', 'Publishing: waiting', 'Publishing: waiting']);
  });

  it('tells of uploads that fail side by side in one line', async () => {
    const { progress, lines } = await openProgress();
    for (let upload = 0; upload < 4; upload += 1)
      progress.retry('The server answered 503; trying again in 1 s');
    vi.advanceTimersByTime(5_000);
    progress.retry('The server answered 503; trying again in 2 s');
    expect(lines()).toEqual([
      'The server answered 503; trying again in 1 s',
      'The server answered 503; trying again in 2 s',
    ]);
  });
});

it('on a narrow terminal, portage draws its progress in one row', async () => {
  const { progress, lines } = await openProgress({ isTTY: true, columns: 40 });
  progress.start('Uploading 50,000 new files', 2 ** 30);
  progress.note('Publishing');
  expect(lines()).toEqual([]);
  progress.start('Uploading 50,000 new files', 2 ** 30);
  progress.retry('again');
  const [drawn = ''] = lines();
  expect(drawn.split('\r\x1b[2K')).toEqual(['', 'Uploading 50,000 new files ░░░░░░░░░░░░', 'again']);
});

it('portage sends as much at once as the line takes in ten seconds, within bounds', async () => {
  const { UploadPace } = (await import(new URL('upload-pace.mjs', SOURCES).href)) as {
    UploadPace: new () => { bytesMax: number; record(bytes: number, elapsedMs: number): void };
  };
  const pace = new UploadPace();
  expect(pace.bytesMax).toBe(256 * 1024);
  pace.record(256 * 1024, 1_000);
  expect(pace.bytesMax).toBe(2_560 * 1024);
  pace.record(2_560 * 1024, 0);
  expect(pace.bytesMax).toBe(8 * 1024 ** 2);
  pace.record(100_000, 60_000);
  expect(pace.bytesMax).toBe(256 * 1024);
});
