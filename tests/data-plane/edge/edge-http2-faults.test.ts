import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  ERROR,
  FLAG,
  FRAME,
  resetFrame,
  SETTING,
  settingsFrame,
  windowUpdateFrame,
} from '#server/edge/connections/http2/frames.ts';
import { askHttp2, openHttp2 } from './edge-secure-fixture.ts';
import {
  ask,
  connect,
  field,
  frame,
  head,
  NO_SETTINGS,
  ping,
  startFramesEdge,
  times,
  WHOLE,
} from './http2-frames-client.ts';

describe('what breaks a rule of the connection ends it with the reason', () => {
  const tooManySettings = settingsFrame(
    Array.from({ length: 40 }, (): [number, number] => [SETTING.ENABLE_PUSH, 0]),
  );
  test.each<[string, number, Buffer[]]>([
    ['another frame before SETTINGS', ERROR.PROTOCOL_ERROR, [ping()]],
    [
      'a frame that is too long',
      ERROR.FRAME_SIZE_ERROR,
      [NO_SETTINGS, frame(FRAME.DATA, 0, 1, 'x'.repeat(16_385))],
    ],
    [
      'DATA on a stream that was never opened',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, frame(FRAME.DATA, 0, 1, 'x')],
    ],
    ['DATA on no stream', ERROR.PROTOCOL_ERROR, [NO_SETTINGS, frame(FRAME.DATA, 0, 0, 'x')]],
    ['a reset of a stream that was never opened', ERROR.PROTOCOL_ERROR, [NO_SETTINGS, resetFrame(1, 8)]],
    [
      'a window of a stream that was never opened',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, windowUpdateFrame(1, 1)],
    ],
    [
      'a window of the connection that grows by nothing',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, windowUpdateFrame(0, 0)],
    ],
    ['a window beyond its bound', ERROR.FLOW_CONTROL_ERROR, [NO_SETTINGS, windowUpdateFrame(0, 2 ** 31 - 1)]],
    ['an even stream', ERROR.PROTOCOL_ERROR, [NO_SETTINGS, ask(2)]],
    ['a head on a stream that has ended', ERROR.STREAM_CLOSED, [NO_SETTINGS, ask(3), ask(1)]],
    [
      'a head that is interrupted',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, frame(FRAME.HEADERS, 0, 1, head()), ping()],
    ],
    [
      'a continuation of nothing',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, frame(FRAME.CONTINUATION, 4, 1, head())],
    ],
    [
      'more padding than payload',
      ERROR.PROTOCOL_ERROR,
      [NO_SETTINGS, frame(FRAME.HEADERS, WHOLE | FLAG.PADDED, 1, '\x09abc')],
    ],
    [
      'a head that is none',
      ERROR.COMPRESSION_ERROR,
      [NO_SETTINGS, frame(FRAME.HEADERS, WHOLE, 1, '\xff\xff\xff\xff\xff\xff')],
    ],
    ['a promise', ERROR.PROTOCOL_ERROR, [NO_SETTINGS, frame(FRAME.PUSH_PROMISE, 4, 1, '\0\0\0\x02')]],
    ['a PING of another length', ERROR.FRAME_SIZE_ERROR, [NO_SETTINGS, frame(FRAME.PING, 0, 0, '1234567')]],
    ['a PING on a stream', ERROR.PROTOCOL_ERROR, [NO_SETTINGS, frame(FRAME.PING, 0, 1, '12345678')]],
    ['half a setting', ERROR.FRAME_SIZE_ERROR, [frame(FRAME.SETTINGS, 0, 0, 'abc')]],
    [
      'an acknowledgement with settings',
      ERROR.FRAME_SIZE_ERROR,
      [NO_SETTINGS, frame(FRAME.SETTINGS, FLAG.ACK, 0, 'abcdef')],
    ],
    [
      'a window in the settings beyond its bound',
      ERROR.FLOW_CONTROL_ERROR,
      [settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31]])],
    ],
    [
      'frames smaller than all must take',
      ERROR.PROTOCOL_ERROR,
      [settingsFrame([[SETTING.MAX_FRAME_SIZE, 16_383]])],
    ],
    ['a push that is neither on nor off', ERROR.PROTOCOL_ERROR, [settingsFrame([[SETTING.ENABLE_PUSH, 2]])]],
    ['too many settings', ERROR.ENHANCE_YOUR_CALM, [tooManySettings]],
  ])('%s', async (_, code, frames) => {
    const edge = await startFramesEdge();
    const client = await connect(edge, ...frames);
    await once(client.socket, 'close');
    expect(client.verdicts().at(-1)).toBe(`GOAWAY ${code}`);
    const other = await openHttp2(edge.securePort, 'site.test');
    expect((await askHttp2(other, '/small.txt')).status).toBe(200);
    other.close();
  });
});

describe('a client that costs without asking is disconnected', () => {
  test.each<[string, Buffer[]]>([
    ['PINGs', times(2_000, () => ping())],
    ['settings', times(2_000, () => NO_SETTINGS)],
    ['priorities', times(2_000, () => frame(FRAME.PRIORITY, 0, 1, Buffer.from('0000000010', 'hex')))],
    ['frames of unknown types', times(2_000, () => frame(0xee, 0, 0))],
    [
      'empty DATA',
      [
        frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, head('/missing')),
        ...times(2_000, () => frame(FRAME.DATA, 0, 1)),
      ],
    ],
    [
      'empty continuations',
      [frame(FRAME.HEADERS, 0, 1, head()), ...times(2_000, () => frame(FRAME.CONTINUATION, 0, 1))],
    ],
    [
      'a head without an end',
      [
        frame(FRAME.HEADERS, 0, 1, head()),
        ...times(9, () => frame(FRAME.CONTINUATION, 0, 1, field('x', 'y').toString('latin1').repeat(2_000))),
      ],
    ],
    [
      'requests that it cancels',
      times(2_000, (at) => (at % 2 === 0 ? ask(at + 1, '/missing') : resetFrame(at, ERROR.CANCEL))),
    ],
    [
      'requests that it has cancelled by breaking a rule',
      times(400, (at) => (at % 2 === 0 ? ask(at + 1, '/missing') : windowUpdateFrame(at, 0))),
    ],
  ])('%s', async (_, frames) => {
    const edge = await startFramesEdge();
    const client = await connect(edge, NO_SETTINGS, ...frames);
    await once(client.socket, 'close');
    expect(client.verdicts().at(-1) ?? `GOAWAY ${ERROR.ENHANCE_YOUR_CALM}`).toBe(
      `GOAWAY ${ERROR.ENHANCE_YOUR_CALM}`,
    );
    const other = await openHttp2(edge.securePort, 'site.test');
    expect((await askHttp2(other, '/small.txt')).status).toBe(200);
    other.close();
  });

  test('half a frame for too long', async () => {
    const edge = await startFramesEdge({ limits: { headMs: 200 } });
    const client = await connect(edge, NO_SETTINGS, ask(1));
    await expect.poll(() => client.hasEnded(1)).toBe(true);
    client.send(ask(3).subarray(0, 12));
    await once(client.socket, 'close');
  });

  test('more streams at once than it may: those beyond are refused, for the client to ask again', async () => {
    const edge = await startFramesEdge({ limits: { streamsMax: 5 } });
    const none = settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 0]]);
    const client = await connect(edge, none, ...times(8, (at) => ask(2 * at + 1, '/long.txt')));
    const refused = `RST_STREAM ${ERROR.REFUSED_STREAM}`;
    await expect.poll(() => client.verdicts()).toEqual([refused, refused, refused]);
  });
});

test('a client that sends many frames at once delays others only by a part of them', async () => {
  const edge = await startFramesEdge();
  const [greedy, other] = await Promise.all([connect(edge, NO_SETTINGS), connect(edge, NO_SETTINGS)]);
  const updates = times(20_000, () => windowUpdateFrame(0, 1));
  for (let round = 1; round <= 5; round += 1) {
    const order: string[] = [];
    greedy.onFrame = ({ type }) => type === FRAME.PING && order.push('greedy');
    other.onFrame = ({ type }) => type === FRAME.HEADERS && order.push('other');
    // Everything is in the server's hands before it reads any of it.
    greedy.send(...updates, ping());
    other.send(ask(2 * round - 1, '/small.txt'));
    await expect.poll(() => order).toEqual(['other', 'greedy']);
  }
});
