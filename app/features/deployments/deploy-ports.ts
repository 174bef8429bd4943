import type { inferRouterClient } from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';
import { isRetriable, readError } from '../../i18n/read-error.ts';
import type { DeployPorts } from './deploy-job.ts';
import { sendUpload } from './send-upload.ts';

/** The calls of a deploy to one site: what is small through tRPC, bytes through `/api/v1`. */
export function createDeployPorts(
  client: Pick<inferRouterClient<AppRouter>, 'deployments'>,
  site: { organization_id: string; site_id: string },
): DeployPorts {
  const { deployments } = client;
  const ofVersion = (version_id: string) => ({ ...site, version_id });
  const blobsPath = (versionId: string) => `/api/v1/sites/${site.site_id}/versions/${versionId}/blobs`;
  const organizationId = site.organization_id;
  return {
    open: (files, signal) => {
      const manifest = Object.fromEntries(
        files.map(({ path, sha256, file }) => [path, { sha256, size: file.size }]),
      );
      return deployments.open.mutate({ ...site, files: manifest, source: 'console' }, { signal });
    },
    listMissing: async (versionId, signal) =>
      (await deployments.missing.query(ofVersion(versionId), { signal })).missing,
    sendBatch: async (versionId, tar, onBytes, signal) => {
      const contentType = 'application/x-tar';
      const path = blobsPath(versionId);
      await sendUpload({ method: 'POST', path, organizationId, contentType, body: tar, onBytes, signal });
    },
    sendSingle: async (versionId, sha256, content, onBytes, signal) => {
      const contentType = 'application/octet-stream';
      const path = `${blobsPath(versionId)}/${sha256}`;
      await sendUpload({ method: 'PUT', path, organizationId, contentType, body: content, onBytes, signal });
    },
    seal: (versionId, signal) => deployments.seal.mutate(ofVersion(versionId), { signal }),
    isInterruption: (error) => isRetriable(error) || readError(error)?.code === 'upload_interrupted',
    isVersionGone: (error) => readError(error)?.code === 'version_not_found',
    isVersionSealed: (error) => readError(error)?.code === 'version_sealed',
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
  };
}
