import { describe, expect, it } from 'vitest';
import { cliLines, curlLines, workflowFile } from './deploy-lines.ts';

const target = { publicUrl: 'https://console.example.ca', siteId: '01abc', subdomain: 'blog' };

describe('the lines of the deploy panel', () => {
  it('name exactly this installation and this site', () => {
    expect(cliLines(target)).toContain('PORTAGE_URL=https://console.example.ca\n');
    expect(cliLines(target)).toContain('npx --yes "$PORTAGE_URL/cli.tgz" deploy ./dist --site blog');
    expect(curlLines(target)).toContain('https://console.example.ca/api/v1/sites/01abc/versions');
    expect(workflowFile(target)).toContain(' deploy ./dist --site blog ');
    expect(workflowFile(target)).toContain('PORTAGE_URL: https://console.example.ca\n');
  });

  it('take the keys from the surroundings, never from the page', () => {
    expect(curlLines(target)).toContain('"$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY"');
    expect(workflowFile(target)).toContain('{{ secrets.PORTAGE_SECRET_KEY }}');
  });
});
