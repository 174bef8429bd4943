import { loadErrorWords } from '../../i18n/errors/error-words.ts';

/**
 * Saves a file of an organization, under the name given by the server. The organization is named in the call,
 * because the session may have switched to another one.
 * @throws ApiError for a refusal, TypeError when the network failed
 */
export async function downloadFile(organizationId: string, address: string): Promise<void> {
  const response = await fetch(address, { headers: { 'portage-organization': organizationId } });
  if (!response.ok) {
    // The code that reads a refusal is loaded only when there is one.
    const [{ toApiError }] = await Promise.all([
      import('../deployments/upload/send-upload.ts'),
      loadErrorWords(),
    ]);
    throw toApiError(await response.text());
  }
  await saveResponse(response);
}

/** Saves the file of a response, under the name given by the server. */
export async function saveResponse(response: Response): Promise<void> {
  save(await response.blob(), filenameOf(response.headers.get('content-disposition')));
}

function filenameOf(disposition: string | null): string {
  return /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? 'download';
}

function save(file: Blob, filename: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(address);
}
