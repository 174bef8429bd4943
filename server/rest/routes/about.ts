import { Readable } from 'node:stream';
import { z } from 'zod';
import { isErrorCode, KIND_OF_CODE, STATUS_OF_KIND } from '../../error-codes.ts';
import { describeError } from '../../error-sentences.ts';
import { AppError } from '../../errors.ts';
import { getCliPackage } from '../packages/cli-package.ts';
import type { NpmPackage } from '../packages/pack-package.ts';
import { getTypePackage } from '../packages/type-package.ts';
import { type Download, openRoute, type Route } from '../route.ts';

const tag = 'About';
const problemKindSchema = z.object({
  code: z.string().describe('The stable name of the failure, as in its problem documents.'),
  status: z.number().int().describe('The HTTP status that it comes with.'),
  detail: z.string().describe('Its English sentence, with the names of parameters in braces.'),
});
/** The field name is the card payment provider's own. */
const webConfigurationSchema = z.object({
  stripePublishableKey: z
    .string()
    .nullable()
    .describe(
      'The key with which the card payment provider’s script in the browser is loaded; null while nothing is ' +
        'billed.',
    ),
});
const deployLimitsSchema = z.object({
  files: z.number().int().describe('The most files in a version.'),
  file_bytes: z.number().int().describe('The largest file, in bytes.'),
  version_bytes: z.number().int().describe('The most bytes of all files of a version together.'),
  path_bytes: z.number().int().describe('The longest path, in bytes of UTF-8.'),
});

export const aboutRoutes: Route[] = [
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/_webconfig',
      id: 'getWebConfiguration',
      tag,
      summary: 'Get what the console needs to know before sign-in',
      success: {
        kind: 'json',
        status: 200,
        schema: webConfigurationSchema,
      },
    },
    async ({ context: { app } }) => ({ stripePublishableKey: app.payments?.publishableKey ?? null }),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/cli.tgz',
      id: 'getCommandLine',
      tag,
      summary: 'Get the command-line tool as a package for npx',
      description: 'The file name contains the release: `portage-cli-{release}.tgz`.',
      success: { kind: 'download', mediaType: 'application/gzip' },
    },
    downloadCli,
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/cli/{file}',
      id: 'getCommandLineRelease',
      tag,
      summary: 'Get the command-line tool at the address of its release',
      description:
        '`/cli/{release}.tgz`: npx caches downloads by address, so each release has its own. The ' +
        'address of an older release returns the current one.',
      params: z.object({ file: z.string().regex(/^[\w.-]{1,60}\.tgz$/) }),
      success: { kind: 'download', mediaType: 'application/gzip' },
      errors: ['not_found'],
    },
    downloadCli,
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/types.tgz',
      id: 'getClientTypes',
      tag,
      summary: 'Get the types of the tRPC procedures as a package for npm',
      description:
        'Only declarations, for tools that use tRPC: `import type { AppRouter } from "portage/trpc"`.',
      success: { kind: 'download', mediaType: 'application/gzip' },
    },
    async () => toDownload('portage-types', await getTypePackage()),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/deploy-limits',
      id: 'getDeployLimits',
      tag,
      summary: 'Get the size limits of a version',
      description: 'A client checks a folder against them before it reads and sends anything.',
      success: { kind: 'json', status: 200, schema: deployLimitsSchema },
    },
    async ({ context: { app } }) => {
      const { filesMax, fileBytesMax, versionBytesMax, pathBytesMax } = app.config.deployLimits;
      return {
        files: filesMax,
        file_bytes: fileBytesMax,
        version_bytes: versionBytesMax,
        path_bytes: pathBytesMax,
      };
    },
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/problems/{code}',
      id: 'getProblem',
      tag,
      summary: 'Look up what an error code means',
      params: z.object({ code: z.string().max(100) }),
      success: { kind: 'json', status: 200, schema: problemKindSchema },
      errors: ['not_found'],
    },
    async ({ params: { code } }) => {
      if (!isErrorCode(code)) throw new AppError('not_found');
      return { code, status: STATUS_OF_KIND[KIND_OF_CODE[code]], detail: describeError(code) };
    },
  ),
];

async function downloadCli(): Promise<Download> {
  return toDownload('portage-cli', await getCliPackage());
}

function toDownload(name: string, { bytes, etag, release }: NpmPackage): Download {
  const stream = Readable.from([bytes], { objectMode: false });
  return { stream, filename: `${name}-${release}.tgz`, etag };
}
