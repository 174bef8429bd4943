import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import type { VersionState } from '#server/services/deployments/rules.ts';

/** What became of a version; of an earlier one there is nothing to say among others of its site. */
export function VersionStateBadge({ state }: { state: VersionState }) {
  switch (state) {
    case 'current':
      return (
        <Badge color="green">
          <Trans>current</Trans>
        </Badge>
      );
    case 'reverted':
      return (
        <Badge color="gray">
          <Trans>reverted</Trans>
        </Badge>
      );
    case 'open':
      return (
        <Badge color="yellow">
          <Trans>uploading</Trans>
        </Badge>
      );
    case 'other':
      return null;
  }
}
