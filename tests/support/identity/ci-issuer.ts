import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

/** A code host's automation as seen from outside: an issuer with keys, and tokens for its runs. */
export interface CiIssuer {
  issuer: string;
  /** Signs a token like GitHub; `claims` replaces individual claims, undefined omits them. */
  sign(claims?: Record<string, unknown>, how?: { isForged?: boolean; lifetime?: string }): Promise<string>;
  /** How many requests it has received. */
  asked(): number;
  goAway(): Promise<void>;
}

/**
 * Starts an issuer for an audience. Stopped after the test.
 * @param keysAt the advertised address of its keys, when elsewhere
 */
export async function startCiIssuer(audience: string, keysAt?: string): Promise<CiIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const forger = await generateKeyPair('RS256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] };
  let asked = 0;
  let runs = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    const body = isDiscovery ? { issuer, jwks_uri: keysAt ?? `${issuer}/keys` } : keys;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening server has an address and a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(goAway);
  return {
    issuer,
    async sign(claims = {}, { isForged = false, lifetime = '10 minutes' } = {}) {
      runs += 1;
      const payload = {
        iss: issuer,
        aud: audience,
        sub: 'repo:rivers/site:ref:refs/heads/main',
        repository: 'rivers/site',
        repository_id: '42',
        ref: 'refs/heads/main',
        run_id: String(runs),
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime(lifetime)
        .sign(isForged ? forger.privateKey : privateKey);
    },
    asked: () => asked,
    goAway,
  };
}
