/** What the commands of the deploy panel depend on. */
export interface DeployTarget {
  publicUrl: string;
  /** npx caches by address, so each release has its own. */
  cliRelease: string;
  siteId: string;
  subdomain: string;
}

/** Returns the command that deploys a folder from anywhere; this installation provides the program itself. */
export function cliLines({ publicUrl, cliRelease, subdomain }: DeployTarget): string {
  return [
    `export PORTAGE_URL=${publicUrl}`,
    'export PORTAGE_PUBLIC_KEY=ptgpk_…',
    'export PORTAGE_SECRET_KEY=ptgsk_…',
    '',
    `npx --yes "$PORTAGE_URL/cli/${cliRelease}.tgz" deploy ./dist --site ${subdomain}`,
  ].join('\n');
}

/** Returns the call that deploys a folder with just tar and curl. */
export function curlLines({ publicUrl, siteId }: DeployTarget): string {
  return [
    'tar -C ./dist -czf - . |',
    '  curl --fail-with-body -X POST -T - \\',
    '    -u "$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY" \\',
    "    -H 'Content-Type: application/gzip' \\",
    `    ${publicUrl}/api/v1/sites/${siteId}/versions`,
  ].join('\n');
}

/** The path of the workflow file in a repository of each git host. */
export const WORKFLOW_PATHS = {
  GitHub: '.github/workflows/deploy.yml',
  GitLab: '.gitlab-ci.yml',
  Forgejo: '.forgejo/workflows/deploy.yml',
  Gitea: '.gitea/workflows/deploy.yml',
} as const;
export type GitHost = keyof typeof WORKFLOW_PATHS;
export const GIT_HOSTS: readonly GitHost[] = ['GitHub', 'GitLab', 'Forgejo', 'Gitea'];

/** Whether the CI of a git host can identify itself with a signed token. */
export function signsTokens(host: GitHost): boolean {
  return host !== 'Gitea';
}

/**
 * Returns the file that builds and deploys on every push to main. `isTrusted`: the site trusts the
 * repository, and no secret is stored there.
 */
export function workflowFile(host: GitHost, isTrusted: boolean, target: DeployTarget): string {
  return host === 'GitLab' ? gitlabFile(isTrusted, target) : actionsFile(host, isTrusted, target);
}

/** The file is the same for GitHub, Forgejo and Gitea, except for the permission to get a token. */
function actionsFile(
  host: Exclude<GitHost, 'GitLab'>,
  isTrusted: boolean,
  { publicUrl, cliRelease, subdomain }: DeployTarget,
): string {
  const right = host === 'Forgejo' ? '' : '\n    permissions:\n      contents: read\n      id-token: write';
  const switchedOn = host === 'Forgejo' ? 'enable-openid-connect: true\n' : '';
  const keys = `
          PORTAGE_PUBLIC_KEY: \${{ secrets.PORTAGE_PUBLIC_KEY }}
          PORTAGE_SECRET_KEY: \${{ secrets.PORTAGE_SECRET_KEY }}`;
  return `name: Deploy
on:
  push:
    branches: [main]
${isTrusted ? switchedOn : ''}
jobs:
  deploy:
    runs-on: ubuntu-latest${isTrusted ? right : ''}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci && npm run build
      - run: npx --yes "$PORTAGE_URL/cli/${cliRelease}.tgz" deploy ./dist --site ${subdomain} --message "$(git log -1 --format=%s)"
        env:
          PORTAGE_URL: ${publicUrl}${isTrusted ? '' : keys}
`;
}

/** GitLab passes keys from the project's variables automatically. */
function gitlabFile(isTrusted: boolean, { publicUrl, cliRelease, subdomain }: DeployTarget): string {
  const token = `
  id_tokens:
    PORTAGE_ID_TOKEN:
      aud: ${publicUrl}`;
  return `deploy:
  image: node:22
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
  variables:
    PORTAGE_URL: ${publicUrl}${isTrusted ? token : ''}
  script:
    - npm ci && npm run build
    - npx --yes "$PORTAGE_URL/cli/${cliRelease}.tgz" deploy ./dist --site ${subdomain} --message "$CI_COMMIT_TITLE"
`;
}
