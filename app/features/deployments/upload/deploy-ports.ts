import type { inferRouterClient } from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';
import { isRetriable, readError } from '../../../i18n/errors/read-error.ts';
import { fetchDeployLimits } from './check-limits.ts';
import type { DeployPorts } from './deploy-job.ts';
import { manifestParts } from './manifest-parts.ts';
import { sendUpload } from './send-upload.ts';
import { whileBusy } from './while-busy.ts';

/** The calls of a deploy to one site: small data through tRPC, bytes through `/api/v1`. */
export function createDeployPorts(
  client: Pick<inferRouterClient<AppRouter>, 'deployments'>,
  site: { organization_id: string; site_id: string },
): DeployPorts {
  const { deployments } = client;
  const ofVersion = (version_id: string) => ({ ...site, version_id });
  const blobsPath = (versionId: string) => `/api/v1/sites/${site.site_id}/versions/${versionId}/blobs`;
  const organizationId = site.organization_id;
  /** Makes one call, repeated as long as the server is busy. */
  const call = <T>(signal: AbortSignal, once: () => Promise<T>) =>
    whileBusy(once, (milliseconds) => waitFor(milliseconds, signal));
  return {
    readLimits: fetchDeployLimits,
    open: async (files, signal) => {
      const parts = manifestParts(files);
      const [only] = parts;
      const about = { ...site, source: 'console' };
      if (parts.length === 1) {
        return call(signal, () => deployments.open.mutate({ ...about, files: only }, { signal }));
      }
      const { id } = await call(signal, () => deployments.open.mutate(about, { signal }));
      const missing = new Set<string>();
      try {
        for (const files of parts) {
          const part = { ...ofVersion(id), files };
          const response = await call(signal, () => deployments.addFiles.mutate(part, { signal }));
          for (const sha256 of response.missing) missing.add(sha256);
        }
      } catch (error) {
        // A version without all parts must not be continued; one that cannot be discarded is collected after
        // a day.
        deployments.cancel.mutate(ofVersion(id)).catch(() => undefined);
        throw error;
      }
      return { id, missing: [...missing] };
    },
    listMissing: async (versionId, signal) => {
      const missing = new Set<string>();
      let cursor: string | undefined;
      do {
        const input = { ...ofVersion(versionId), cursor };
        const page = await call(signal, () => deployments.missing.query(input, { signal }));
        for (const sha256 of page.missing) missing.add(sha256);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return [...missing];
    },
    sendBatch: async (versionId, tar, onBytes, signal) => {
      const contentType = 'application/x-tar';
      const path = blobsPath(versionId);
      await call(signal, () =>
        sendUpload({ method: 'POST', path, organizationId, contentType, body: tar, onBytes, signal }),
      );
    },
    sendSingle: async (versionId, { sha256, content }, onBytes, signal) => {
      const contentType = 'application/octet-stream';
      const path = `${blobsPath(versionId)}/${sha256}`;
      await call(signal, () =>
        sendUpload({ method: 'PUT', path, organizationId, contentType, body: content, onBytes, signal }),
      );
    },
    seal: (versionId, signal) =>
      call(signal, () => deployments.seal.mutate(ofVersion(versionId), { signal })),
    isInterruption: (error) => isRetriable(error) || readError(error)?.code === 'upload_interrupted',
    isVersionGone: (error) => readError(error)?.code === 'version_not_found',
    isVersionSealed: (error) => readError(error)?.code === 'version_sealed',
    wait: waitFor,
  };
}

function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
