// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A headless Chromium and its driver; both must be installed.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class Chrome implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern STARTED = Pattern.compile("successfully on port (\\d+)");

  private final Process driver;
  private final HttpClient http = HttpClient.newHttpClient();
  private String session = "";

  private Chrome(Process driver) {
    this.driver = driver;
  }

  /** Starts both; the profile is in a folder. */
  static Chrome start(Path folder) throws IOException {
    Chrome chrome =
        new Chrome(
            new ProcessBuilder("chromedriver", "--port=0").redirectErrorStream(true).start());
    try {
      chrome.session = "http://127.0.0.1:" + chrome.port() + "/session";
      JsonArray flags =
          new JsonArray(
              List.of(
                  "--headless=new",
                  "--no-sandbox", // root may not have one
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--no-first-run",
                  "--window-size=1280,860",
                  "--user-data-dir=" + folder.resolve("profile")));
      JsonObject capabilities =
          new JsonObject()
              .put("browserName", "chrome")
              .put("goog:chromeOptions", new JsonObject().put("args", flags));
      Object made =
          chrome.post(
              "",
              new JsonObject()
                  .put("capabilities", new JsonObject().put("alwaysMatch", capabilities)));
      chrome.session += "/" + ((JsonObject) made).getString("sessionId");
      return chrome;
    } catch (IOException | RuntimeException e) {
      chrome.close();
      throw e;
    }
  }

  private String port() throws IOException {
    BufferedReader lines = driver.inputReader(StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher started = STARTED.matcher(line);
      if (started.find()) {
        return started.group(1);
      }
    }
    throw new IOException("chromedriver did not start");
  }

  private Object post(String path, JsonObject body) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(session + path))
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode()))
            .build();
    try {
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      Object value = new JsonObject(answer.body()).getValue("value", "");
      if (answer.statusCode() != 200) {
        throw new IOException(String.valueOf(value));
      }
      return value == null ? "" : value;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private JsonObject devtools(String command, JsonObject parameters) throws IOException {
    JsonObject order = new JsonObject().put("cmd", command).put("params", parameters);
    return (JsonObject) post("/goog/cdp/execute", order);
  }

  /** Has a script run in every page before any of its own, and its processor time counted. */
  void before(String script) throws IOException {
    devtools("Page.addScriptToEvaluateOnNewDocument", new JsonObject().put("source", script));
    devtools("Performance.enable", new JsonObject().put("timeDomain", "threadTicks"));
  }

  /** Returns the processor time that the thread of the page has used so far, in milliseconds. */
  double threadMillis() throws IOException {
    JsonArray metrics =
        devtools("Performance.getMetrics", new JsonObject()).getJsonArray("metrics");
    for (Object one : metrics) {
      if (((JsonObject) one).getString("name").equals("TaskDuration")) {
        return ((JsonObject) one).getDouble("value") * 1_000;
      }
    }
    throw new IOException("the browser does not tell its processor time");
  }

  /** Loads an address anew. */
  void open(String url) throws IOException {
    post("/url", new JsonObject().put("url", "about:blank"));
    post("/url", new JsonObject().put("url", url));
  }

  /** Runs a script in the page and returns the number that it, or its promise, returns. */
  double number(String script) throws IOException {
    Object value =
        post(
            "/execute/sync",
            new JsonObject()
                .put("script", "return (async () => {" + script + "})()")
                .put("args", new JsonArray()));
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    throw new IOException("expected a number, found " + value);
  }

  @Override
  public void close() {
    List<ProcessHandle> all = new ArrayList<>(driver.descendants().toList());
    all.add(driver.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    http.close();
  }
}
