import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/**
 * Returns the headers of a delivery after the Standard Webhooks specification: `webhook-signature` has, for
 * each secret, `v1,base64(hmac-sha256("id.timestamp.body"))` under the bytes that follow `whsec_` in base64.
 * @param secrets each `whsec_` and base64
 * @param at epoch milliseconds; the header has seconds
 */
export function signDelivery(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
) {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
