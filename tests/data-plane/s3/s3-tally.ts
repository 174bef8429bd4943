import type { S3Client } from '@aws-sdk/client-s3';

/** What a client has sent and received itself. */
export interface S3Tally {
  requests: number;
  /** Of content, without the framing of chunks. */
  received: number;
  sent: number;
}

interface Request {
  method: string;
  headers: Record<string, string>;
}
interface Response {
  statusCode: number;
  headers: Record<string, string>;
}

/** Counts what a client's requests and their responses carry, as the client sees both. Refusals (403) are left out. */
export function tallyOf(client: S3Client): S3Tally {
  const tally: S3Tally = { requests: 0, received: 0, sent: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { method, headers } = args.request as Request;
      const response = result.response as Response;
      if (response.statusCode === 403) return result;
      tally.requests += 1;
      const announced = headers['x-amz-decoded-content-length'] ?? headers['content-length'];
      if (response.statusCode < 300) tally.received += Number(announced ?? 0);
      if (method !== 'HEAD') tally.sent += Number(response.headers['content-length'] ?? 0);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'tally' },
  );
  return tally;
}
