import { listMissingBlobs } from '../services/deployments/blobs/list-missing-blobs.ts';
import { cancelVersion } from '../services/deployments/cancel-version.ts';
import { getVersion } from '../services/deployments/get-version.ts';
import { listRecentDeploys } from '../services/deployments/list-recent-deploys.ts';
import { listVersions } from '../services/deployments/list-versions.ts';
import { addVersionFiles } from '../services/deployments/manifests/add-version-files.ts';
import { listVersionFiles } from '../services/deployments/manifests/list-version-files.ts';
import { openVersion } from '../services/deployments/open-version.ts';
import { previewRetention } from '../services/deployments/retention/preview-retention.ts';
import { rollbackSite } from '../services/deployments/rollback-site.ts';
import {
  addVersionFilesInput,
  addVersionFilesResult,
  deployReportSchema,
  listMissingBlobsInput,
  listRecentDeploysInput,
  listVersionFilesInput,
  listVersionsInput,
  missingBlobsResult,
  openVersionInput,
  openVersionResult,
  previewRetentionInput,
  recentDeploysSchema,
  retentionPreviewSchema,
  rollbackInput,
  rollbackResult,
  sealVersionInput,
  versionDetailSchema,
  versionFilePageSchema,
  versionInput,
  versionPageSchema,
} from '../services/deployments/schema.ts';
import { sealVersion } from '../services/deployments/seal-version.ts';
import { organizationProcedure, router } from './trpc.ts';

/** Versions of a site. The bytes of files travel through `/api/v1`. */
export const deploymentsRouter = router({
  list: organizationProcedure
    .input(listVersionsInput)
    .output(versionPageSchema)
    .query(({ ctx, input }) => listVersions(ctx, input)),
  recent: organizationProcedure
    .input(listRecentDeploysInput)
    .output(recentDeploysSchema)
    .query(({ ctx, input }) => listRecentDeploys(ctx, input)),
  get: organizationProcedure
    .input(versionInput)
    .output(versionDetailSchema)
    .query(({ ctx, input }) => getVersion(ctx, input)),
  files: organizationProcedure
    .input(listVersionFilesInput)
    .output(versionFilePageSchema)
    .query(({ ctx, input }) => listVersionFiles(ctx, input)),
  open: organizationProcedure
    .input(openVersionInput)
    .output(openVersionResult)
    .mutation(({ ctx, input }) => openVersion(ctx, input)),
  addFiles: organizationProcedure
    .input(addVersionFilesInput)
    .output(addVersionFilesResult)
    .mutation(({ ctx, input }) => addVersionFiles(ctx, input)),
  missing: organizationProcedure
    .input(listMissingBlobsInput)
    .output(missingBlobsResult)
    .query(({ ctx, input }) => listMissingBlobs(ctx, input)),
  seal: organizationProcedure
    .input(sealVersionInput)
    .output(deployReportSchema)
    .mutation(({ ctx, input }) => sealVersion(ctx, input)),
  cancel: organizationProcedure.input(versionInput).mutation(({ ctx, input }) => cancelVersion(ctx, input)),
  previewRetention: organizationProcedure
    .input(previewRetentionInput)
    .output(retentionPreviewSchema)
    .query(({ ctx, input }) => previewRetention(ctx, input)),
  rollback: organizationProcedure
    .input(rollbackInput)
    .output(rollbackResult)
    .mutation(({ ctx, input }) => rollbackSite(ctx, input)),
});
