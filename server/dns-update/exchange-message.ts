import { connect } from 'node:net';

const LENGTH_BYTES = 2;

/**
 * Sends one DNS message over TCP and returns the answer.
 * @throws Error with the reason when none arrives in time
 */
export function exchangeMessage(
  { host, port }: { host: string; port: number },
  message: Buffer,
  timeoutMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received: Buffer = Buffer.alloc(0);
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    const end = (outcome: Buffer | Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    socket.on('connect', () => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < LENGTH_BYTES) return;
      const wholeBytes = LENGTH_BYTES + received.readUInt16BE(0);
      if (received.length >= wholeBytes) end(received.subarray(LENGTH_BYTES, wholeBytes));
    });
    socket.on('error', (error) => end(error));
    socket.on('close', () => end(new Error('the connection was closed without an answer')));
  });
}
