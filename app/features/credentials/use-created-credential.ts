import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { CreateCredentialResult } from '#server/services/credentials/schema.ts';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { useLeaveWarning } from '../../components/dialogs/use-leave-warning.ts';

/**
 * Holds the credential just created. Its secret is stored nowhere else, so leaving before it has been copied
 * asks for confirmation.
 */
export function useCreatedCredential() {
  const { t } = useLingui();
  const [created, setCreated] = useState<CreateCredentialResult | null>(null);
  const [isCopied, setCopied] = useState(false);
  const isAtRisk = created !== null && !isCopied;
  const title = t`The secret key has not been copied`;
  const text = t`It is shown only here. Without it, the credential is useless and must be replaced.`;
  useLeaveWarning({ isActive: isAtRisk, title, text, leave: t`Leave without it` });
  /** Resolves to whether the keys may be dismissed. */
  const mayLose = async () =>
    !isAtRisk || askConfirmation({ title, body: text, confirm: t`Continue without it`, isDestructive: true });
  return {
    created,
    show: (result: CreateCredentialResult) => {
      setCreated(result);
      setCopied(false);
    },
    markCopied: () => setCopied(true),
    mayLose,
    dismiss: async () => {
      if (await mayLose()) setCreated(null);
    },
  };
}
