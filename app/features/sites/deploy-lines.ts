/** What the lines of the deploy panel are made for. */
export interface DeployTarget {
  publicUrl: string;
  /** npx runs what it once downloaded from an address: a release has its own. */
  cliRelease: string;
  siteId: string;
  subdomain: string;
}

/** Returns the command that deploys a folder from anywhere; this installation hands out the program itself. */
export function cliLines({ publicUrl, cliRelease, subdomain }: DeployTarget): string {
  return [
    `export PORTAGE_URL=${publicUrl}`,
    'export PORTAGE_PUBLIC_KEY=ptgpk_…',
    'export PORTAGE_SECRET_KEY=ptgsk_…',
    '',
    `npx --yes "$PORTAGE_URL/cli/${cliRelease}.tgz" deploy ./dist --site ${subdomain}`,
  ].join('\n');
}

/** Returns the call that deploys a folder with nothing but tar and curl. */
export function curlLines({ publicUrl, siteId }: DeployTarget): string {
  return [
    'tar -C ./dist -czf - . |',
    '  curl --fail-with-body -X POST -T - \\',
    '    -u "$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY" \\',
    "    -H 'Content-Type: application/gzip' \\",
    `    ${publicUrl}/api/v1/sites/${siteId}/versions`,
  ].join('\n');
}

/** Where the workflow file lies in a repository of each git host. */
export const WORKFLOW_PATHS = {
  GitHub: '.github/workflows/deploy.yml',
  Forgejo: '.forgejo/workflows/deploy.yml',
  Gitea: '.gitea/workflows/deploy.yml',
} as const;
export type GitHost = keyof typeof WORKFLOW_PATHS;
export const GIT_HOSTS: readonly GitHost[] = ['GitHub', 'Forgejo', 'Gitea'];

/** Returns a workflow that builds and deploys on every push; GitHub, Forgejo and Gitea run it alike. */
export function workflowFile({ publicUrl, cliRelease, subdomain }: DeployTarget): string {
  return `name: Deploy
on:
  push:
    branches: [main]

jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci && npm run build
      - run: npx --yes "$PORTAGE_URL/cli/${cliRelease}.tgz" deploy ./dist --site ${subdomain} --message "$(git log -1 --format=%s)"
        env:
          PORTAGE_URL: ${publicUrl}
          PORTAGE_PUBLIC_KEY: \${{ secrets.PORTAGE_PUBLIC_KEY }}
          PORTAGE_SECRET_KEY: \${{ secrets.PORTAGE_SECRET_KEY }}
`;
}
