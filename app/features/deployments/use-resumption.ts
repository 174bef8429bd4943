import { useState } from 'react';
import { trpc } from '../../trpc.ts';
import type { PickedFile } from './picked-files.ts';

/** A version that broke off, and the files chosen again for it. */
export interface Resumption {
  versionId: string;
  files: PickedFile[];
}

/** Carries what is to be gone on with from the history to the deploy, and drops the broken version once that is done. */
export function useResumption(site: { organization_id: string; site_id: string }) {
  const { client, deployments } = trpc.useUtils();
  const [resumption, setResumption] = useState<Resumption | null>(null);
  const finish = async () => {
    if (!resumption) return;
    setResumption(null);
    // One that cannot be dropped now is collected after a day.
    await client.deployments.cancel
      .mutate({ ...site, version_id: resumption.versionId })
      .catch(() => undefined);
    await deployments.list.invalidate(site);
  };
  return { resumption, resume: setResumption, finish };
}
