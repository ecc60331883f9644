/** Instants as everything that travels writes them. */

/** Milliseconds since 1970 → ISO-8601 UTC. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}
