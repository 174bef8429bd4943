import type { TLSSocket } from 'node:tls';
import {
  CLIENT_PREFACE,
  FLAG,
  FRAME,
  settingsFrame,
  writeFrameHead,
} from '#server/edge/connections/http2/frames.ts';
import { MemoryPorts } from './edge-fixture.ts';
import { createTestAuthority, openTls, type SecureTestEdge, startSecureEdge } from './edge-secure-fixture.ts';

const authority = await createTestAuthority();

/** An edge with a site of a small, a larger and a long file at `site.test`. */
export async function startFramesEdge(
  options: Parameters<typeof startSecureEdge>[1] = {},
): Promise<SecureTestEdge> {
  const ports = new MemoryPorts();
  ports.addVersion('v1', {
    'small.txt': 'small',
    'page.txt': 'p'.repeat(5_000),
    'long.txt': 'l'.repeat(200_000),
  });
  ports.point('site.test', 'v1');
  ports.certificates.set('site.test', await authority.issue(['site.test']));
  return startSecureEdge(ports, options);
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** A client that sends whatever bytes it likes. */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly socket: TLSSocket;
  isClosed = false;
  onFrame: (frame: Frame) => void = () => {};
  private rest = Buffer.alloc(0);

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.rest = Buffer.concat([this.rest, chunk]);
      while (this.rest.length >= 9) {
        const end = 9 + this.rest.readUIntBE(0, 3);
        if (this.rest.length < end) break;
        const [type = 0, flags = 0] = this.rest.subarray(3, 5);
        const streamId = this.rest.readUInt32BE(5);
        const frame = { type, flags, streamId, payload: this.rest.subarray(9, end) };
        this.frames.push(frame);
        this.onFrame(frame);
        this.rest = this.rest.subarray(end);
      }
    });
    socket.once('close', () => {
      this.isClosed = true;
    });
  }

  send(...frames: Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** What the server said about the connection, a stream's end included, as `NAME code`. */
  verdicts(): string[] {
    return this.frames.flatMap(({ type, payload }) => {
      if (type === FRAME.GOAWAY) return [`GOAWAY ${payload.readUInt32BE(4)}`];
      return type === FRAME.RST_STREAM ? [`RST_STREAM ${payload.readUInt32BE(0)}`] : [];
    });
  }

  body(streamId: number): string {
    const data = this.frames.filter((frame) => frame.type === FRAME.DATA && frame.streamId === streamId);
    return Buffer.concat(data.map(({ payload }) => payload)).toString();
  }

  hasEnded(streamId: number): boolean {
    return this.frames.some(
      (frame) => frame.streamId === streamId && frame.type <= 1 && (frame.flags & FLAG.END_STREAM) !== 0,
    );
  }

  acks(): number {
    return this.frames.filter(({ type, flags }) => type === FRAME.PING && flags === FLAG.ACK).length;
  }
}

export async function connect({ securePort }: SecureTestEdge, ...first: Buffer[]): Promise<RawClient> {
  const client = new RawClient(await openTls(securePort, { servername: 'site.test', ALPNProtocols: ['h2'] }));
  client.send(CLIENT_PREFACE, ...first);
  return client;
}

export function frame(type: number, flags: number, streamId: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(9);
  writeFrameHead(head, 0, bytes.length, type, flags, streamId);
  return Buffer.concat([head, bytes]);
}

/** A field that is neither indexed nor coded. */
export function field(name: string, value: string): Buffer {
  const parts = [name, value].flatMap((text) => [Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), ...parts]);
}

export const NO_SETTINGS = settingsFrame([]);
export const WHOLE = FLAG.END_HEADERS | FLAG.END_STREAM;
/** GET over https for the site, but for the path. */
export const COMMON = Buffer.concat([Buffer.from('8287', 'hex'), field(':authority', 'site.test')]);

export function head(path = '/small.txt', ...more: Buffer[]): Buffer {
  return Buffer.concat([COMMON, field(':path', path), ...more]);
}

export function ask(streamId: number, path?: string): Buffer {
  return frame(FRAME.HEADERS, WHOLE, streamId, head(path));
}

export const times = (count: number, make: (at: number) => Buffer) =>
  Array.from({ length: count }, (_, at) => make(at));
export const ping = (flags = 0) => frame(FRAME.PING, flags, 0, '12345678');
