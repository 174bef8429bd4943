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

/** Counts what a client's requests and their answers carry, as the client sees both. Refusals (403) are left out. */
export function tallyOf(client: S3Client): S3Tally {
  const tally: S3Tally = { requests: 0, received: 0, sent: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { method, headers } = args.request as Request;
      const answer = result.response as Response;
      if (answer.statusCode === 403) return result;
      tally.requests += 1;
      const announced = headers['x-amz-decoded-content-length'] ?? headers['content-length'];
      if (answer.statusCode < 300) tally.received += Number(announced ?? 0);
      if (method !== 'HEAD') tally.sent += Number(answer.headers['content-length'] ?? 0);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'tally' },
  );
  return tally;
}
