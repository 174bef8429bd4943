import { useLingui } from '@lingui/react/macro';
import type { DeployState } from './use-deploy.ts';

/**
 * Returns the text that a screen reader announces about a deploy: each step once and the end, not every
 * percent.
 */
export function useDeployAnnouncement(state: DeployState): string {
  const { t } = useLingui();
  switch (state.step) {
    case 'hashing':
      return t`Hashing the files`;
    case 'uploading':
      return t`Uploading the files`;
    case 'publishing':
      return t`Publishing the new version`;
    case 'done':
      if (state.report.superseded_by !== null) return t`The deploy is done and kept as a preview`;
      return t`The deploy is done and live`;
    default:
      // A failure announces itself; idle has nothing to say.
      return '';
  }
}
