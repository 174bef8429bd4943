import { type DeployReport, deployReportSchema } from '#server/services/deployments/schema.ts';
import type { DeployProgress } from './deploy-job.ts';
import { sendUpload } from './send-upload.ts';

/** Whether a file is treated as a .zip archive. */
export function isZip(file: { name: string; type: string }): boolean {
  return /\.zip$/i.test(file.name) || file.type === 'application/zip';
}

/**
 * Deploys a .zip in one request and returns the report; the server unpacks and publishes it.
 * @throws the refusal
 */
export async function deployArchive(
  archive: File,
  site: { organization_id: string; site_id: string },
  onProgress: (progress: DeployProgress) => void,
  signal: AbortSignal,
): Promise<DeployReport> {
  const onBytes = (sent: number) => {
    // The request is a little larger than the file.
    const bytesDone = Math.min(sent, archive.size);
    if (bytesDone < archive.size) {
      onProgress({ step: 'uploading', filesDone: 0, filesTotal: 1, bytesDone, bytesTotal: archive.size });
    } else {
      onProgress({ step: 'publishing' });
    }
  };
  onBytes(0);
  const response = await sendUpload({
    method: 'POST',
    path: `/api/v1/sites/${site.site_id}/versions?source=console`,
    organizationId: site.organization_id,
    contentType: 'application/zip',
    body: archive,
    onBytes,
    signal,
  });
  return deployReportSchema.parse(response);
}
