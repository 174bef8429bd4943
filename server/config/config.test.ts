import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';

const reason = (environment: Record<string, string>) => {
  try {
    loadConfig(environment);
    return null;
  } catch (error) {
    return error instanceof ConfigError ? error.message : error;
  }
};

describe('the settings', () => {
  it('work without any variable: everything has a default', () => {
    const config = loadConfig({});
    expect(config.publicUrl).toBe('http://localhost:3000');
    expect(config.databaseUrl).toMatch(/^sqlite:.*data\/portage\.sqlite$/);
    expect([...config.roles]).toEqual(['console', 'edge', 's3', 'dns', 'jobs']);
    expect(config.siteUrl('blog.sites.localhost')).toBe('http://blog.sites.localhost:8080');
    expect(config.billing.mode).toBe('sandbox');
  });

  it('treat an empty variable as absent', () => {
    expect(loadConfig({ CONSOLE_PORT: '' }).consolePort).toBe(3000);
  });

  it('allow only tests to move the clock, and never with real money', () => {
    const moved = { TEST_CLOCK_FILE: 'clock' };
    const money = {
      BILLING_MODE: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
    };
    expect(reason(moved)).toMatch(/^TEST_CLOCK_FILE cannot be used/);
    expect(reason({ ...moved, NODE_ENV: 'production' })).toMatch(/^TEST_CLOCK_FILE cannot be used/);
    expect(reason({ ...moved, ...money, NODE_ENV: 'test' })).toMatch(/^TEST_CLOCK_FILE cannot be used/);
    expect(loadConfig({ ...moved, NODE_ENV: 'test' }).testClockFile).toBe('clock');
  });

  it.each([
    ['CONSOLE_PORT', 'many'],
    ['CONSOLE_PORT', '70000'],
    ['ROLES', 'console,kitchen'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['PUBLIC_URL', 'https://example.ca/console'],
    ['PUBLIC_URL', 'https://example.ca?a=b'],
    ['PUBLIC_URL', 'https://somebody:secret@example.ca'],
    ['S3_URL', 'https://example.ca/s3'],
    ['DEFAULT_FEATURES', 'object_storage,kitchen'],
    ['OIDC_CLIENT_ID', 'portage'],
    ['OIDC_CLIENT_SECRET', 'secret'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://one:5432,two:5432/portage'],
    ['DATABASE_URL', 'postgres://portage@one,two/portage'],
    ['DATABASE_URL', 'postgres://portage@host:many/portage'],
    ['OBJECT_STORE_URL', 'ftp://x'],
    ['SITES_DOMAIN', 'not a host'],
    ['MASTER_KEY', 'short'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_TOKEN', 'short'],
    ['DEPLOY_MAX_FILES', '-1'],
    ['API_REQUESTS_PER_MINUTE', 'many'],
  ])('stop the start with one sentence that names %s when it is %s', (name, value) => {
    expect(reason({ [name]: value })).toMatch(new RegExp(`^${name} cannot be used: [^\\n]+\\.$`));
  });

  it('accept every address of a database that node-postgres reads', () => {
    for (const url of [
      'postgres://portage:a,b%20c@host:5432/portage?sslmode=require',
      'postgresql:///portage?host=/run/postgresql',
      'postgres://portage@/portage',
      'postgres://portage@%2Frun%2Fpostgresql/portage',
      'postgres://portage:pass word@host/portage',
    ]) {
      expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
    }
  });

  it('never echo a value, which may be a secret', () => {
    expect(reason({ DATABASE_URL: 'hunter2://secret' })).not.toContain('hunter2');
    expect(reason({ DATABASE_URL: 'postgres://portage:hunter2@one,two:1/portage' })).not.toContain('hunter2');
    expect(reason({ MASTER_KEY: 'hunter2' })).not.toContain('hunter2');
  });

  it('name the roles behind a proxy, all, none or some, and never only some of one process', () => {
    const proxied = (TRUST_PROXY: string) => [...loadConfig({ TRUST_PROXY }).proxiedRoles];
    expect(proxied('true')).toContain('edge');
    expect(proxied('false')).toEqual([]);
    expect(proxied('console,s3')).toEqual(['console', 's3']);
    expect(() => proxied('cdn')).toThrow('TRUST_PROXY cannot be used');
    expect(() => loadConfig({ TRUST_PROXY: 'console', PROCESSES: 'single' })).toThrow('one process here');
  });

  it('require a client id with an issuer', () => {
    expect(reason({ OIDC_ISSUER: 'https://id.example.ca' })).toMatch(/^OIDC_CLIENT_ID cannot be used/);
  });

  it('refuse one port for two roles at the same address', () => {
    expect(reason({ CONSOLE_PORT: '8080' })).toBe(
      'EDGE_HTTP_PORT cannot be used: CONSOLE_PORT is the same port.',
    );
    expect(reason({ HEALTH_PORT: '3000' })).toBe(
      'HEALTH_PORT cannot be used: CONSOLE_PORT is the same port.',
    );
    const addresses = { CONSOLE_BIND_ADDRESS: '127.0.0.1', BIND_ADDRESS: '192.0.2.1' };
    expect(loadConfig({ CONSOLE_PORT: '8080', ...addresses }).consolePort).toBe(8080);
    expect(loadConfig({ ROLES: 'edge', CONSOLE_PORT: '8080' }).edgeHttpPort).toBe(8080);
  });

  it('leave out a default port of site addresses', () => {
    const config = loadConfig({
      SITES_URL_SCHEME: 'https',
      SITES_URL_PORT: '443',
      SITES_DOMAIN: 'pages.example.ca',
    });
    expect(config.siteUrl('a.pages.example.ca')).toBe('https://a.pages.example.ca');
  });
});
