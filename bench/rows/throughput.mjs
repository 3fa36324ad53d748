export async function measureThroughput() { return []; }
