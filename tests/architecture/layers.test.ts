import { describe, expect, it } from 'vitest';
import { listSources, listValueImports, type ValueImport } from './imports.ts';

const ROOT = process.cwd();
const LEAF =
  /^server\/(services\/[^/]+\/([a-z-]+\/)?(schema|rules|[a-z-]+-rules)\.ts|(error-codes|durations)\.ts)$/;
const sources = ['app', 'server', 'db', 'cli']
  .flatMap((folder) => listSources(ROOT, folder))
  .filter((file) => !file.includes('.test.'));
const imports = sources.flatMap((file) => listValueImports(ROOT, file));

/** Which other folders of `server/` each folder imports values from; `db` is the database, `kysely` its queries. */
const FOLDERS: Record<string, readonly string[]> = {
  auth: ['concurrency', 'db', 'http', 'limits', 'outgoing', 'services'],
  backup: [
    'concurrency',
    'config',
    'db',
    'kysely',
    'outgoing',
    'secrets',
    'services',
    'start',
    'store',
    'supervisor',
  ],
  browser: [],
  'certificate-authority': ['config', 'outgoing'],
  concurrency: ['db'],
  config: ['services'],
  connections: [],
  console: [
    'connections',
    'db',
    'health',
    'http',
    'limits',
    'logging',
    'payments',
    'program',
    'routers',
    'services',
  ],
  dns: ['connections'],
  'dns-client': [],
  'dns-update': ['config', 'dns'],
  edge: ['connections', 'http-fields'],
  health: ['certificate-authority', 'db', 'jobs', 'kysely', 'metrics', 'supervisor'],
  http: ['config', 'connections', 'http-fields', 'limits', 'logging', 'services', 'supervisor'],
  'http-fields': [],
  identity: ['auth', 'http', 'limits', 'logging', 'services'],
  'identity-tokens': ['outgoing'],
  jobs: ['db', 'logging', 'services'],
  limits: [],
  logging: ['metrics'],
  metering: ['db', 'logging', 'services', 'store', 'supervisor'],
  metrics: ['services', 'store', 'supervisor'],
  operator: ['backup', 'config', 'db', 'logging', 'metering', 'program', 'services', 'start', 'supervisor'],
  outgoing: ['db', 'logging'],
  payments: ['db', 'outgoing', 'services'],
  program: ['config', 'start'],
  rest: ['http', 'limits', 'routers', 'services'],
  roles: [
    'auth',
    'concurrency',
    'config',
    'connections',
    'console',
    'dns',
    'edge',
    'health',
    'http',
    'identity',
    'jobs',
    'limits',
    'logging',
    'metering',
    'metrics',
    'rest',
    's3',
    'services',
    'store',
    'supervisor',
  ],
  routers: ['http', 'logging', 'services'],
  s3: [],
  secrets: ['config', 'db'],
  services: [
    'certificate-authority',
    'concurrency',
    'config',
    'connections',
    'db',
    'dns-client',
    'edge',
    'health',
    'kysely',
    'limits',
    'payments',
    's3',
    'store',
    'webhook-client',
  ],
  start: [
    'config',
    'console',
    'db',
    'limits',
    'logging',
    'metrics',
    'roles',
    'services',
    'store',
    'supervisor',
  ],
  store: ['concurrency', 'config', 'db'],
  supervisor: [],
  'webhook-client': ['outgoing'],
};

const from = (pattern: RegExp) => imports.filter((entry) => pattern.test(entry.file));
const offenders = (entries: ValueImport[], isAllowed: (entry: ValueImport) => boolean) =>
  entries.filter((entry) => !isAllowed(entry)).map((entry) => `${entry.file} imports ${entry.target}`);
const subjectOf = (file: string) => /^server\/services\/([^/]+)\//.exec(file)?.[1];

describe('the layers of imports', () => {
  it('are read from real imports', () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(sources.some((file) => LEAF.test(file))).toBe(true);
  });

  it('allow schema.ts and rules.ts to import only zod and each other', () => {
    const found = offenders(from(LEAF), ({ target }) => target === 'package:zod' || LEAF.test(target));
    expect(found).toEqual([]);
  });

  it('keep HTTP, cookies and transports out of services', () => {
    const forbidden =
      /^(server\/(routers|rest|auth|identity|console|jobs|roles|main)\b|package:(@trpc|srvx|node:https?$))/;
    expect(offenders(from(/^server\/services\//), ({ target }) => !forbidden.test(target))).toEqual([]);
  });

  it('allow a subject to call the functions of another, never its queries', () => {
    const found = offenders(from(/^server\/services\//), ({ file, target }) => {
      const isQuery = /\/queries\.ts$/.test(target);
      return !isQuery || subjectOf(target) === subjectOf(file);
    });
    expect(found).toEqual([]);
  });

  it('keep Kysely and the database out of routers, REST and jobs', () => {
    const found = offenders(
      from(/^server\/(routers|rest|jobs)\//),
      ({ target }) =>
        // A job watches how far its machine's clock is from the database's.
        target === 'db/database-now.ts' ||
        (target !== 'package:kysely' && !target.startsWith('db/') && !/\/queries\.ts$/.test(target)),
    );
    expect(found).toEqual([]);
  });

  it('give each folder of the server only the folders that its row names', () => {
    const folderOf = (path: string) => /^server\/([a-z0-9-]+)\//.exec(path)?.[1];
    const nameOf = (target: string) => {
      if (target === 'package:kysely') return 'kysely';
      return target.startsWith('db/') ? 'db' : folderOf(target);
    };
    const found = new Map(
      sources.flatMap((file) => folderOf(file) ?? []).map((folder) => [folder, new Set<string>()]),
    );
    for (const { file, target } of imports) {
      const folder = folderOf(file);
      const other = nameOf(target);
      if (folder !== undefined && other !== undefined && other !== folder) found.get(folder)?.add(other);
    }
    const rows = Array.from(found, ([folder, others]) => [folder, [...others].sort()] as const);
    expect(Object.fromEntries(rows)).toEqual(FOLDERS);
  });

  it('let the engines import only their own folder, packages, the mechanics of connections and the fields of HTTP', () => {
    for (const engine of ['edge', 's3', 'dns', 'browser']) {
      const isAllowed = ({ target }: ValueImport) =>
        target.startsWith(`server/${engine}/`) ||
        /^server\/(connections|http-fields)\//.test(target) ||
        (target.startsWith('package:') && target !== 'package:kysely');
      expect(offenders(from(new RegExp(`^server/${engine}/`)), isAllowed)).toEqual([]);
    }
  });

  it('allow app to import only types and client-safe leaves from the server', () => {
    const found = offenders(
      from(/^app\//),
      ({ target }) => !/^(server|db)\//.test(target) || LEAF.test(target),
    );
    expect(found).toEqual([]);
  });

  it('forbid importing a file that starts a process', () => {
    const begins =
      /^server\/(main|operator\/main|program\/run-build|start\/(run-process|prepare-start))\.ts$/;
    // Supervisors from before `start/` know these two by their former paths.
    const isFormerPath = ({ file, target }: ValueImport) =>
      target === file.replace('server/', 'server/start/');
    expect(offenders(imports, (entry) => !begins.test(entry.target) || isFormerPath(entry))).toEqual([]);
  });

  it('keep the supervisor free of everything but Node and itself', () => {
    const isAllowed = ({ target }: ValueImport) =>
      target.startsWith('package:node:') || target.startsWith('server/supervisor/');
    expect(offenders(from(/^server\/supervisor\//), isAllowed)).toEqual([]);
    const isFound = ({ target }: ValueImport) =>
      target.startsWith('package:node:') || /^server\/program\/(kept-builds|source-stamp)\.ts$/.test(target);
    const finds = /^server\/program\/(compiled-program|kept-builds|source-stamp)\.ts$/;
    expect(offenders(from(finds), isFound)).toEqual([]);
    const holds = /^(server\/(start\/hold-data-dir|config\/(config-error|data-dir))|db\/make-folders)\.ts$/;
    const isHeld = (entry: ValueImport) =>
      isAllowed(entry) || ['server/config/config-error.ts', 'db/make-folders.ts'].includes(entry.target);
    expect(offenders(from(holds), isHeld)).toEqual([]);
    const first = from(/^server\/main\.ts$/).map(({ target }) => target);
    expect(first).toEqual([
      'server/config/load-env-file.ts',
      'server/start/process-defaults.ts',
      'package:node:path',
      'package:node:url',
      'server/config/data-dir.ts',
      'server/program/compiled-program.ts',
      'server/start/hold-data-dir.ts',
      'server/supervisor/program-signals.ts',
      'server/supervisor/supervise.ts',
      'server/start/run-single.ts',
    ]);
  });

  it('keep db free of server code', () => {
    expect(offenders(from(/^db\//), ({ target }) => !/^(server|app)\//.test(target))).toEqual([]);
  });

  it('keep the command line free of everything but Node', () => {
    const found = offenders(
      from(/^cli\//),
      ({ target }) => target.startsWith('package:node:') || target.startsWith('cli/'),
    );
    expect(found).toEqual([]);
  });

  it('keep components free of product nouns', () => {
    expect(
      offenders(from(/^app\/components\//), ({ target }) => !target.startsWith('app/features/')),
    ).toEqual([]);
  });
});

describe('the tree', () => {
  it('has kebab-case names', () => {
    const odd = sources.filter(
      (file) =>
        !file.startsWith('app/routes/') && !/^[a-z0-9./-]+$/.test(file.replace('routeTree.gen.ts', '')),
    );
    expect(odd).toEqual([]);
  });

  it('tests every function that a surface calls, in the folder of its subject', () => {
    const isVerb = ({ target }: ValueImport) =>
      /^server\/services\/[^/]+\/([a-z-]+\/)?[a-z-]+\.ts$/.test(target) &&
      !LEAF.test(target) &&
      !/\/(queries|edge-ports)\.ts$/.test(target);
    const verbs = new Set(
      from(/^server\/(routers|rest|jobs|auth|identity)\//)
        .filter(isVerb)
        .map(({ target }) => target),
    );
    const tested = new Set(
      listSources(ROOT, 'server/services')
        .filter((file) => file.endsWith('.test.ts'))
        .flatMap((file) => listValueImports(ROOT, file))
        .filter(({ file, target }) => subjectOf(file) === subjectOf(target))
        .map(({ target }) => target),
    );
    expect(verbs.size).toBeGreaterThan(30);
    expect([...verbs].filter((verb) => !tested.has(verb))).toEqual([]);
  });
});
