import type { UsageSubject } from './period-search.ts';

/** What a file is of. */
export type CsvRange = UsageSubject & { start_date: string; end_date: string };

/**
 * Saves the usage of an organization in these days as a CSV file, under the name that the server gives it. The organization
 * is named in the call: the session may stand in another one meanwhile.
 * @throws ApiError for a refusal, TypeError when the network failed
 */
export async function downloadUsageCsv(organizationId: string, range: CsvRange): Promise<void> {
  const answer = await fetch(`/api/v1/usage/stats.csv?${new URLSearchParams({ ...range })}`, {
    headers: { 'portage-organization': organizationId },
  });
  if (!answer.ok) {
    // What reads a refusal comes only when there is one.
    const { toApiError } = await import('../deployments/send-upload.ts');
    throw toApiError(await answer.text());
  }
  save(await answer.blob(), filenameOf(answer.headers.get('content-disposition')));
}

function filenameOf(disposition: string | null): string {
  return /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? 'usage.csv';
}

function save(file: Blob, filename: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(address);
}
