import { useState } from 'react';
import { trpc } from '../../../trpc.ts';
import type { PickedFile } from '../upload/picked-files.ts';

/** An interrupted version, and the files chosen again for it. */
export interface Resumption {
  versionId: string;
  files: PickedFile[];
}

/**
 * Passes a resumption from the history to the deploy, and discards the interrupted version once it is done.
 */
export function useResumption(site: { organization_id: string; site_id: string }) {
  const { client, deployments } = trpc.useUtils();
  const [resumption, setResumption] = useState<Resumption | null>(null);
  const finish = async () => {
    if (!resumption) return;
    setResumption(null);
    // If it cannot be discarded now, it is collected after a day.
    await client.deployments.cancel
      .mutate({ ...site, version_id: resumption.versionId })
      .catch(() => undefined);
    await deployments.list.invalidate(site);
  };
  return { resumption, resume: setResumption, finish };
}
