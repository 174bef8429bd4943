import { createHash } from 'node:crypto';
import { packTar } from '../pack-tar.ts';
import type { TestServer } from '../server/test-server.ts';
import { objectOf, type RestClient, type RestResponse, restClient } from './rest-client.ts';
import { registerAndSignIn, type SignedInBrowser } from './sign-in.ts';

/** Path to content. */
export type SiteFiles = Record<string, string | Buffer>;

/** A person signed in over HTTP at a running server, who creates sites to deploy to. */
export interface Deployer {
  /** Sends requests as the person of the console, in the personal workspace. */
  person: RestClient;
  signedIn: SignedInBrowser;
  /** Creates a site and a credential that can only access it. */
  createSite(name: string): Promise<DeploySite>;
}

/** A site of a running server and its credential, used over HTTP like the tooling. */
export interface DeploySite {
  id: string;
  /** Hostname of the live site, without a port. */
  host: string;
  path: string;
  authorization: string;
  client: RestClient;
  open(files: SiteFiles): Promise<OpenVersion>;
  /** Opens a version, sends what is missing, seals and publishes it. */
  deploy(files: SiteFiles): Promise<DeployedVersion>;
  rollback(versionId: string): Promise<RestResponse>;
}

export interface OpenVersion {
  id: string;
  path: string;
  missing: string[];
}

export interface DeployedVersion {
  id: string;
  /** Hashes that had to be sent. */
  sent: string[];
  report: Record<string, unknown>;
  previewHost: string;
}

/** Returns the hash of content. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Registers a person at a running server with the embedded identity service. */
export async function registerDeployer(server: Pick<TestServer, 'consoleUrl'>): Promise<Deployer> {
  const signedIn = await registerAndSignIn(server.consoleUrl);
  const person = restClient(server.consoleUrl, { cookie: signedIn.cookie, origin: server.consoleUrl });
  return {
    person,
    signedIn,
    async createSite(name) {
      const site = objectOf(requireStatus(await person('POST', '/api/v1/sites', { json: { name } }), 201));
      const id = String(site.id);
      const scopes = [{ resource_type: 'site', resource_id: id, permissions: ['read', 'write'] }];
      const created = requireStatus(
        await person('POST', '/api/v1/credentials', { json: { name: `deploys ${name}`, scopes } }),
        201,
      );
      const { credential, secret_key } = JSON.parse(created.text);
      const authorization = `Bearer ${credential.public_key}:${secret_key}`;
      return toDeploySite(server, id, new URL(String(site.subdomain_url)).hostname, authorization);
    },
  };
}

function toDeploySite(
  server: Pick<TestServer, 'consoleUrl'>,
  id: string,
  host: string,
  authorization: string,
): DeploySite {
  const path = `/api/v1/sites/${id}`;
  const client = restClient(server.consoleUrl, { authorization });
  const open = async (files: SiteFiles): Promise<OpenVersion> => {
    const response = await client('POST', `${path}/versions`, { json: { files: toManifest(files) } });
    const opened = objectOf(requireStatus(response, 201));
    const missing = JSON.parse(response.text).missing as string[];
    return { id: String(opened.id), path: `${path}/versions/${opened.id}`, missing };
  };
  return {
    id,
    host,
    path,
    authorization,
    client,
    open,
    async deploy(files) {
      const version = await open(files);
      await sendMissing(client, version.path, files, version.missing);
      return { ...(await sealOpen(client, version)), sent: version.missing };
    },
    rollback: (versionId) => client('POST', `${path}/rollback`, { json: { version_id: versionId } }),
  };
}

/** Returns the manifest of files in the format of the deploy protocol. */
export function toManifest(files: SiteFiles): Record<string, { sha256: string; size: number }> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      { sha256: hashOf(content), size: Buffer.byteLength(content) },
    ]),
  );
}

const BATCH_BYTES_MAX = 8 * 1024 ** 2;
/** Larger files are sent individually, by PUT. */
const BATCHED_FILE_BYTES_MAX = 1024 ** 2;

/** Sends content by its hash like the tooling: small files in tar batches, large ones by PUT. */
export async function sendMissing(
  client: RestClient,
  versionPath: string,
  files: SiteFiles,
  missing: readonly string[],
): Promise<void> {
  const contentOf = new Map(Object.values(files).map((content) => [hashOf(content), Buffer.from(content)]));
  let batch: Record<string, Buffer> = {};
  let batchBytes = 0;
  const flush = async () => {
    if (Object.keys(batch).length === 0) return;
    requireStatus(await sendBatch(client, versionPath, batch), 200);
    batch = {};
    batchBytes = 0;
  };
  for (const sha256 of missing) {
    const content = contentOf.get(sha256);
    if (!content) throw new Error(`the server asks for ${sha256}, which is not in the manifest`);
    if (content.byteLength > BATCHED_FILE_BYTES_MAX) {
      requireStatus(
        await client('PUT', `${versionPath}/blobs/${sha256}`, { body: new Uint8Array(content) }),
        200,
      );
      continue;
    }
    batch[sha256] = content;
    batchBytes += content.byteLength;
    if (batchBytes >= BATCH_BYTES_MAX) await flush();
  }
  await flush();
}

/** Sends one tar of contents named by their hashes. */
export async function sendBatch(
  client: RestClient,
  versionPath: string,
  contents: Record<string, Buffer>,
): Promise<RestResponse> {
  const headers = { 'content-type': 'application/x-tar' };
  return client('POST', `${versionPath}/blobs`, { body: await packTar(contents), headers });
}

/** Seals and publishes an open version. */
export async function sealOpen(
  client: RestClient,
  version: Pick<OpenVersion, 'id' | 'path'>,
): Promise<Omit<DeployedVersion, 'sent'>> {
  const report = objectOf(requireStatus(await client('POST', `${version.path}/seal`, { json: {} }), 200));
  return { id: version.id, report, previewHost: new URL(String(report.preview_url)).hostname };
}

/**
 * Returns a response that has the expected status.
 * @throws with the server's message for any other
 */
export function requireStatus(response: RestResponse, status: number): RestResponse {
  if (response.status === status) return response;
  throw new Error(`expected ${status}, got ${response.status}: ${response.text.slice(0, 2000)}`);
}
