import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cliLines, curlLines, GIT_HOSTS, signsTokens, WORKFLOW_PATHS, workflowFile } from './deploy-lines.ts';

const target = {
  publicUrl: 'https://console.example.ca',
  cliRelease: '0.1.0-abc',
  siteId: '01abc',
  subdomain: 'blog',
};

describe('the commands of the deploy panel', () => {
  it('name exactly this installation and this site', () => {
    expect(cliLines(target)).toContain('PORTAGE_URL=https://console.example.ca\n');
    expect(cliLines(target)).toContain(
      'npx --yes "$PORTAGE_URL/cli/0.1.0-abc.tgz" deploy ./dist --site blog',
    );
    expect(curlLines(target)).toContain('https://console.example.ca/api/v1/sites/01abc/versions');
    for (const host of GIT_HOSTS) {
      expect(workflowFile(host, false, target)).toContain(' deploy ./dist --site blog ');
      expect(workflowFile(host, false, target)).toContain('PORTAGE_URL: https://console.example.ca\n');
    }
  });

  it('are a workflow for every git host: YAML in its own folder, whose inputs reach no script as text', () => {
    for (const host of ['GitHub', 'Forgejo', 'Gitea'] as const) {
      expect(WORKFLOW_PATHS[host]).toContain(`.${host.toLowerCase()}/workflows/`);
      for (const isTrusted of [false, true]) {
        const { jobs } = parse(workflowFile(host, isTrusted, target)) as {
          jobs: { deploy: { steps: { run?: string }[] } };
        };
        const scripts = jobs.deploy.steps.flatMap(({ run }) => run ?? []);
        expect(scripts).toHaveLength(2);
        for (const script of scripts) expect(script).not.toContain('${{');
      }
    }
    const { deploy } = parse(workflowFile('GitLab', true, target)) as { deploy: Record<string, unknown> };
    expect(deploy.id_tokens).toEqual({ PORTAGE_ID_TOKEN: { aud: 'https://console.example.ca' } });
    expect(deploy.script).toHaveLength(2);
  });

  it('request a token instead of keys when the site trusts the repository', () => {
    expect(GIT_HOSTS.filter(signsTokens)).toEqual(['GitHub', 'GitLab', 'Forgejo']);
    for (const host of GIT_HOSTS.filter(signsTokens)) {
      expect(workflowFile(host, true, target)).not.toContain('SECRET_KEY');
      expect(workflowFile(host, true, target)).toMatch(
        /id-token: write|enable-openid-connect: true|id_tokens:/,
      );
      expect(workflowFile(host, false, target)).not.toMatch(/id-token|openid|id_tokens/);
    }
  });

  it('take the keys from the environment, never from the page', () => {
    expect(curlLines(target)).toContain('"$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY"');
    expect(workflowFile('GitHub', false, target)).toContain('{{ secrets.PORTAGE_SECRET_KEY }}');
  });
});
