export function EmbedPage({ conversation }: { readonly conversation: string }) {
  return <main>{conversation}</main>;
}
