// What the page asks the server. Offsets are UTF-16 units, in which JavaScript counts.

const TOKEN = "fofe-token";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

async function ask(path, content, signal) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const request = content === undefined ? { headers, signal } : { method: "POST", headers, signal, body: JSON.stringify(content) };
  let response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The server does not answer.");
  }
  if (response.ok) return response;
  let message = `The server refused this (${response.status}).`;
  try {
    message = (await response.json()).error;
  } catch { /* an answer that is no JSON: the status says enough */ }
  throw new Refusal(response.status, message);
}

export async function models() {
  return (await ask("v1/models")).json();
}

export async function tag(settings, text, signal) {
  const answer = await (await ask("v1/tag", { ...settings, text, tokens: true, offsets: "utf16" }, signal)).json();
  return answer.documents[0];
}

export async function openapi() {
  return (await ask("openapi.json")).json();
}

export async function modelFor(text, signal) {
  return (await (await ask("v1/tag", { language: "auto", text }, signal)).json()).model;
}

export async function lattice(settings, text, sentence, signal) {
  const answer = await (await ask("v1/lattice", { ...settings, text, sentence, offsets: "utf16" }, signal)).json();
  return { labels: answer.labels, ...answer.sentences[0] };
}

export async function exported(settings, text, format) {
  return (await ask("v1/export", { ...settings, text, format })).text();
}
