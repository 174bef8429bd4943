import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { declareRouter } from '../../routers/declare-router.ts';
import { packedOnce, packPackage } from './pack-package.ts';

const manifestSchema = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.object({ '@trpc/server': z.string() }),
});

/**
 * Returns the types of the tRPC procedures as a package that `npm install {address}` accepts: only
 * declarations, of exactly the running version.
 */
export const getTypePackage = packedOnce(async () => {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  const { version, license, dependencies } = manifestSchema.parse(manifest);
  const types = declareRouter();
  return packPackage(version, [
    {
      name: 'package.json',
      content: `${JSON.stringify(toManifest(version, license, dependencies), null, 2)}\n`,
    },
    { name: 'README.md', content: README },
    // One file for each module system: a declaration's extension determines its system.
    { name: 'trpc.d.mts', content: types },
    { name: 'trpc.d.cts', content: types },
    { name: 'trpc.d.ts', content: types },
  ]);
});

/**
 * The client's types must come from the same release line as the server's; the server's code need not be
 * installed for them.
 */
function toManifest(version: string, license: string, dependencies: { '@trpc/server': string }) {
  const [major = '', minor = ''] = dependencies['@trpc/server'].split('.');
  return {
    name: 'portage',
    version,
    description: 'Types of the tRPC procedures of a Portage installation.',
    license,
    exports: {
      './trpc': {
        import: { types: './trpc.d.mts' },
        require: { types: './trpc.d.cts' },
        types: './trpc.d.ts',
      },
    },
    // Compilers that do not read `exports` find the declarations by the path.
    typesVersions: { '*': { trpc: ['./trpc.d.ts'] } },
    peerDependencies: { '@trpc/server': `>=${major}.${minor} <${Number(major) + 1}` },
  };
}

const README = `# Types of the tRPC procedures of a Portage installation

\`import type { AppRouter, RouterInputs, RouterOutputs } from 'portage/trpc';\`, beside \`@trpc/client\`, \`@trpc/server\` and
\`superjson\`. There is nothing to run in this package. Install it again from the same address after an upgrade.
`;
