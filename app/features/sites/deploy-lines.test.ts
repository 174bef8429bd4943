import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cliLines, curlLines, GIT_HOSTS, WORKFLOW_PATHS, workflowFile } from './deploy-lines.ts';

const target = {
  publicUrl: 'https://console.example.ca',
  cliRelease: '0.1.0-abc',
  siteId: '01abc',
  subdomain: 'blog',
};

describe('the lines of the deploy panel', () => {
  it('name exactly this installation and this site', () => {
    expect(cliLines(target)).toContain('PORTAGE_URL=https://console.example.ca\n');
    expect(cliLines(target)).toContain(
      'npx --yes "$PORTAGE_URL/cli/0.1.0-abc.tgz" deploy ./dist --site blog',
    );
    expect(curlLines(target)).toContain('https://console.example.ca/api/v1/sites/01abc/versions');
    expect(workflowFile(target)).toContain(' deploy ./dist --site blog ');
    expect(workflowFile(target)).toContain('PORTAGE_URL: https://console.example.ca\n');
  });

  it('are a workflow of every git host: YAML in its own folder, whose inputs reach no script as text', () => {
    for (const host of GIT_HOSTS) expect(WORKFLOW_PATHS[host]).toContain(`.${host.toLowerCase()}/workflows/`);
    const { jobs } = parse(workflowFile(target)) as { jobs: { deploy: { steps: { run?: string }[] } } };
    const scripts = jobs.deploy.steps.flatMap(({ run }) => run ?? []);
    expect(scripts).toHaveLength(2);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  it('take the keys from the surroundings, never from the page', () => {
    expect(curlLines(target)).toContain('"$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY"');
    expect(workflowFile(target)).toContain('{{ secrets.PORTAGE_SECRET_KEY }}');
  });
});
