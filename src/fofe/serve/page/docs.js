// The paths of the server: what each takes and answers, from the OpenAPI document.

import { Refusal, openapi } from "./api.js";

function make(tag, text, ...children) {
  const element = document.createElement(tag);
  element.append(text, ...children);
  return element;
}

const named = (schema) => schema.$ref.split("/").at(-1);

// A type in a few words, such as "string or null".
function typeOf(schema) {
  if (schema.$ref) return named(schema);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum ?? schema.const) return [schema.enum ?? schema.const].flat().join(" | ");
  return schema.type === "array" ? `list of ${schema.items ? typeOf(schema.items) : "values"}` : schema.type ?? "any";
}

function table(rows) {
  const body = make("tbody", "", ...rows.map(([name, type, meaning]) => {
    return make("tr", "", make("td", make("code", name)), make("td", type), make("td", meaning ?? ""));
  }));
  const scroll = make("div", make("table", body));
  scroll.className = "scroll";
  return scroll;
}

function fields({ properties = {}, required = [] }) {
  return table(Object.entries(properties).map(([name, schema]) => {
    return [required.includes(name) ? `${name} *` : name, typeOf(schema), schema.description];
  }));
}

function described(path, method, { summary, description, parameters = [], requestBody, responses }, schemas) {
  const part = make("section", make("h2", `${method.toUpperCase()} ${path}`), make("p", summary ?? ""));
  if (description) part.append(make("p", description));
  if (parameters.length) part.append(table(parameters.map((one) => [one.name, typeOf(one.schema), one.description])));
  const body = requestBody?.content["application/json"]?.schema;
  if (body?.$ref) part.append(fields(schemas[named(body)]));
  part.append(table(Object.entries(responses).map(([status, answer]) => {
    const schema = answer.content?.["application/json"]?.schema;
    return [status, schema?.$ref ? named(schema) : Object.keys(answer.content ?? {}).join(", "), answer.description];
  })));
  return part;
}

try {
  const { paths, components } = await openapi();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      document.getElementById("paths").append(described(path, method, operation, components.schemas));
    }
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.properties) {
      const part = make("section", make("h2", name), make("p", schema.description ?? ""), fields(schema));
      document.getElementById("paths").append(part);
    }
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  document.getElementById("paths").append(make("p", error.message));
}
document.getElementById("paths").setAttribute("aria-busy", "false");
