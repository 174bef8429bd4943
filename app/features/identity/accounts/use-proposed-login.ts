import { suggestLogin } from '#server/services/identity/accounts/account-rules.ts';
import { useProposal } from '../../../components/forms/use-proposal.ts';

/** Suggests a user name derived from the address while that is typed, until the person types a user name. */
export function useProposedLogin(email: string) {
  const { initial, sourceProps, fieldProps } = useProposal(suggestLogin, email);
  return { initial, emailProps: sourceProps, loginProps: fieldProps };
}
