import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createS3Server } from './create-s3-server.ts';
import type { S3Ports } from './ports.ts';

/** Asks for an object of a service whose database or store fails in this way. */
async function askDuring(failure: Error): Promise<{ status: number; code: string | undefined }> {
  const fail = () => Promise.reject(failure);
  const ports: Partial<S3Ports> = { findBucket: fail, isOutage: () => true, reportFailure: () => undefined };
  const server = createS3Server({
    ports: ports as S3Ports,
    settings: { domain: 's3.test', region: 'qc-south-1', scheme: 'http', consoleOrigin: 'http://console' },
    now: () => 0,
    newRequestId: () => 'id',
    onAnswered: () => undefined,
    admit: () => true,
    admitPublicRead: () => true,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/bucket/key`);
    return { status: answer.status, code: /<Code>(\w+)/.exec(await answer.text())?.[1] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it.each(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])(
  'a store that breaks off with %s is an outage, and no fault of the client’s body',
  async (code) => {
    const failure = Object.assign(new Error('socket hang up'), { code });
    expect(await askDuring(failure)).toEqual({ status: 503, code: 'ServiceUnavailable' });
  },
);
