import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { deployArchive } from '../../services/deployments/archives/deploy-archive.ts';
import { writeVersionArchive } from '../../services/deployments/archives/write-version-archive.ts';
import { listMissingBlobs } from '../../services/deployments/blobs/list-missing-blobs.ts';
import { uploadBlob } from '../../services/deployments/blobs/upload-blob.ts';
import { uploadBlobBatch } from '../../services/deployments/blobs/upload-blob-batch.ts';
import { cancelVersion } from '../../services/deployments/cancel-version.ts';
import { getVersion } from '../../services/deployments/get-version.ts';
import { listVersions } from '../../services/deployments/list-versions.ts';
import { addVersionFiles } from '../../services/deployments/manifests/add-version-files.ts';
import { listVersionFiles } from '../../services/deployments/manifests/list-version-files.ts';
import { openVersion } from '../../services/deployments/open-version.ts';
import { resolveVersionId } from '../../services/deployments/resolve-version-id.ts';
import { previewRetention } from '../../services/deployments/retention/preview-retention.ts';
import { rollbackSite } from '../../services/deployments/rollback-site.ts';
import { ARCHIVE_MEDIA_TYPES, type ArchiveType, archiveTypeOf } from '../../services/deployments/rules.ts';
import {
  addVersionFilesInput,
  addVersionFilesResult,
  deployArchiveInput,
  deployReportSchema,
  listMissingBlobsInput,
  listVersionFilesInput,
  listVersionsInput,
  missingBlobsResult,
  openVersionInput,
  openVersionResult,
  previewRetentionInput,
  retentionPreviewSchema,
  rollbackInput,
  rollbackResult,
  sealVersionInput,
  uploadBlobInput,
  uploadBlobResult,
  uploadResult,
  versionDetailSchema,
  versionFileSchema,
  versionInput,
  versionSchema,
} from '../../services/deployments/schema.ts';
import { sealVersion } from '../../services/deployments/seal-version.ts';
import { siteInput } from '../../services/sites/schema.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Deployments';
const versionPath = '/api/v1/sites/{site_id}/versions/{version_id}';
const isSite = { site_id: true } as const;
const isVersion = { site_id: true, version_id: true } as const;

/** A boolean of a query, as documented: no other word for it. */
const queryFlag = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
  .meta({ type: 'boolean' });

/** A whole manifest in one request: some 20,000 files. */
const MANIFEST_BYTES_MAX = 3 * 1024 ** 2;
/** One part of a manifest. Parsing it takes 10 to 30 ms, during which the process does nothing else. */
const MANIFEST_PART_BYTES_MAX = 1024 ** 2;

/** The limits of an organization that a new version can exceed. */
const organizationLimits = [
  'limit_versions',
  'limit_open_versions',
  'limit_stored_files',
  'limit_stored_bytes',
] as const;

export const deploymentRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/sites/{site_id}/versions',
      id: 'listVersions',
      tag,
      summary: 'List the versions of a site, newest first',
      params: siteInput,
      query: listVersionsInput.omit(isSite),
      success: { kind: 'page', schema: versionSchema },
      errors: ['site_not_found'],
    },
    ({ context, params, query }) => listVersions(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/versions',
      id: 'openVersion',
      tag,
      summary: 'Open a version from its manifest',
      description:
        'With JSON: `files` names every file with its SHA-256 and size; the response lists the content that is `missing`. ' +
        'Sending the same manifest again continues after an interruption. Large manifests come in parts: open with the ' +
        'first part, or without `files`, and send the others to `…/files`.',
      params: siteInput,
      body: { json: openVersionInput.omit(isSite), bytesMax: MANIFEST_BYTES_MAX },
      success: { kind: 'json', status: 201, schema: openVersionResult },
      errors: [
        'site_not_found',
        'manifest_empty',
        'unsafe_path',
        'path_repeated',
        'path_collision',
        'path_under_file',
        'limit_body_bytes',
        'limit_files',
        'limit_file_bytes',
        'limit_version_bytes',
        ...organizationLimits,
        'organization_busy',
      ],
    },
    ({ context, params, body }) => openVersion(context, { ...body, ...params }),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/versions',
      id: 'deployArchive',
      tag,
      summary: 'Deploy an archive in one request',
      description:
        'With a zip or tar archive: stores, seals and publishes all files and returns the deploy report. A single folder ' +
        'around everything is removed.',
      params: siteInput,
      query: deployArchiveInput.omit(isSite).extend({ publish: queryFlag.default(true) }),
      body: { upload: ARCHIVE_MEDIA_TYPES },
      success: { kind: 'json', status: 201, schema: deployReportSchema },
      errors: [
        'site_not_found',
        'archive_invalid',
        'archive_entry_refused',
        'manifest_empty',
        'unsafe_path',
        'path_repeated',
        'path_collision',
        'path_under_file',
        'limit_body_bytes',
        'limit_files',
        'limit_file_bytes',
        'limit_version_bytes',
        ...organizationLimits,
        'upload_interrupted',
        'storage_full',
        'organization_busy',
        'unsupported_media_type',
      ],
      isBulk: true,
    },
    ({ context, params, query, body }) =>
      deployArchive(
        context,
        { ...query, ...params },
        { type: requireArchiveType(body.contentType), content: body.stream },
      ),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: versionPath,
      id: 'getVersion',
      tag,
      summary: 'Get a version with its deploy report',
      params: versionInput,
      success: { kind: 'json', status: 200, schema: versionDetailSchema },
      errors: ['site_not_found', 'version_not_found'],
    },
    ({ context, params }) => getVersion(context, params),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: versionPath,
      id: 'cancelVersion',
      tag,
      summary: 'Discard a version that is still open',
      params: versionInput,
      success: { kind: 'empty' },
      errors: ['site_not_found', 'version_not_found', 'version_sealed', 'conflict'],
    },
    ({ context, params }) => cancelVersion(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: `${versionPath}/missing`,
      id: 'listMissingBlobs',
      tag,
      summary: 'List the content that an open version still needs',
      description: 'At most 20,000 hashes at a time; `next_cursor` gets the next ones.',
      params: versionInput,
      query: listMissingBlobsInput.omit(isVersion),
      success: { kind: 'json', status: 200, schema: missingBlobsResult },
      errors: ['site_not_found', 'version_not_found', 'version_sealed', 'organization_busy'],
    },
    ({ context, params, query }) => listMissingBlobs(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'PUT',
      path: `${versionPath}/files`,
      id: 'addVersionFiles',
      tag,
      summary: 'Add a part of the manifest to an open version',
      description:
        'The response lists the content of this part that is `missing`. Sending a part again is fine. Parts may be sent in ' +
        'parallel; give `file_count` when sealing, so that none is forgotten.',
      params: versionInput,
      body: { json: addVersionFilesInput.omit(isVersion), bytesMax: MANIFEST_PART_BYTES_MAX },
      success: { kind: 'json', status: 200, schema: addVersionFilesResult },
      errors: [
        'site_not_found',
        'version_not_found',
        'version_sealed',
        'file_differs',
        'manifest_empty',
        'unsafe_path',
        'path_repeated',
        'path_collision',
        'path_under_file',
        'limit_body_bytes',
        'limit_files',
        'limit_file_bytes',
        'limit_version_bytes',
        'limit_stored_files',
        'limit_stored_bytes',
        'organization_busy',
      ],
    },
    ({ context, params, body }) => addVersionFiles(context, { ...body, ...params }),
  ),
  organizationRoute(
    {
      method: 'PUT',
      path: `${versionPath}/blobs/{sha256}`,
      id: 'uploadBlob',
      tag,
      summary: 'Send the content of one hash',
      description: 'The raw bytes, of any media type. Sending them again is fine.',
      params: uploadBlobInput,
      body: { upload: ['*/*'] },
      success: { kind: 'json', status: 200, schema: uploadBlobResult },
      errors: [
        'site_not_found',
        'version_not_found',
        'version_sealed',
        'blob_not_expected',
        'hash_mismatch',
        'size_mismatch',
        'limit_stored_bytes',
        'organization_busy',
        'upload_interrupted',
        'storage_full',
      ],
      isBulk: true,
    },
    ({ context, params, body }) => uploadBlob(context, params, body.stream),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: `${versionPath}/blobs`,
      id: 'uploadBlobBatch',
      tag,
      summary: 'Send the content of many hashes in one request',
      description:
        'A tar stream whose entries are named by their SHA-256. What arrived before an interruption stays.',
      params: versionInput,
      body: { upload: ['application/x-tar'] },
      success: { kind: 'json', status: 200, schema: uploadResult },
      errors: [
        'site_not_found',
        'version_not_found',
        'version_sealed',
        'blob_not_expected',
        'hash_mismatch',
        'size_mismatch',
        'archive_invalid',
        'archive_entry_refused',
        'limit_stored_bytes',
        'organization_busy',
        'upload_interrupted',
        'storage_full',
        'unsupported_media_type',
      ],
      isBulk: true,
    },
    ({ context, params, body }) => uploadBlobBatch(context, params, body.stream),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: `${versionPath}/seal`,
      id: 'sealVersion',
      tag,
      summary: 'Seal a complete version and publish it',
      description:
        'Sealing again returns the same report. With `publish: false` it can be published later. A version older than the ' +
        'current one is sealed but does not take its place: `superseded_by` names the newer one.',
      params: versionInput,
      body: { json: sealVersionInput.omit(isVersion), isOptional: true },
      success: { kind: 'json', status: 200, schema: deployReportSchema },
      errors: [
        'site_not_found',
        'version_not_found',
        'version_incomplete',
        'manifest_incomplete',
        'manifest_empty',
        'path_repeated',
        'path_collision',
        'path_under_file',
        'size_mismatch',
        'version_reverted',
        'version_suspended',
        'version_being_sealed',
        'organization_busy',
        'conflict',
        'storage_full',
      ],
    },
    ({ context, params, body }) => sealVersion(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: `${versionPath}/files`,
      id: 'listVersionFiles',
      tag,
      summary: 'List the files of a version by path',
      params: versionInput,
      query: listVersionFilesInput.omit(isVersion),
      success: { kind: 'page', schema: versionFileSchema },
      errors: ['site_not_found', 'version_not_found'],
    },
    ({ context, params, query }) => listVersionFiles(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: `${versionPath}/archive.tar.gz`,
      id: 'downloadVersion',
      tag,
      summary: 'Download a version as an archive',
      params: versionInput,
      success: { kind: 'download', mediaType: 'application/gzip' },
      errors: ['site_not_found', 'version_not_found', 'version_not_sealed', 'organization_busy'],
    },
    async ({ context, params }) => ({
      ...(await writeVersionArchive(context, params)),
      // A sealed version never changes.
      etag: `"${params.version_id}"`,
    }),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/sites/{site_id}/retention',
      id: 'previewRetention',
      tag,
      summary: 'Count the old versions that would be removed',
      description:
        'How many versions the site would lose now with these settings, and about how many bytes with them (null when there ' +
        'are too many files to count). Nothing changes: `PATCH /sites/{site_id}` stores what is kept.',
      params: siteInput,
      query: previewRetentionInput.omit(isSite),
      success: { kind: 'json', status: 200, schema: retentionPreviewSchema },
      errors: ['site_not_found'],
    },
    ({ context, params, query }) => previewRetention(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/rollback',
      id: 'rollbackSite',
      tag,
      summary: 'Make an earlier version current',
      description: 'Every newer version is reverted. `version_id` may be the number of the version.',
      params: siteInput,
      body: { json: rollbackInput.omit(isSite) },
      success: { kind: 'json', status: 200, schema: rollbackResult },
      errors: [
        'site_not_found',
        'version_not_found',
        'version_is_current',
        'version_reverted',
        'version_suspended',
        'version_not_sealed',
      ],
    },
    async ({ context, params, body }) =>
      rollbackSite(context, {
        ...params,
        version_id: await resolveVersionId(context, params.site_id, body.version_id),
      }),
  ),
];

/** The media type was checked when the route was chosen. @throws unsupported_media_type */
function requireArchiveType(mediaType: string): ArchiveType {
  const type = archiveTypeOf(mediaType);
  if (type === null)
    throw new AppError('unsupported_media_type', { expected: ARCHIVE_MEDIA_TYPES.join(', ') });
  return type;
}
