// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The results of a test class on a ground: {@code passed}, or the kind of its end and the message. */
final class GroundRun implements TestExecutionListener {

  private final Map<String, String> results = new ConcurrentHashMap<>();

  private GroundRun() {}

  /** Runs a class as {@code -Dcoxswain.cluster=GROUND} does. */
  static Map<String, String> of(Class<?> tests, String ground) {
    return of(tests, ground, Map.of());
  }

  /** Runs a class with further clusters, by their names. */
  static Map<String, String> of(Class<?> tests, String ground, Map<String, String> clusters) {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("coxswain.cluster", ground);
    clusters.forEach((name, value) -> parameters.put("coxswain.cluster." + name, value));
    GroundRun run = new GroundRun();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .configurationParameters(parameters)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .build(),
            run);
    return new TreeMap<>(run.results);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
      String name = test.getDisplayName().replaceAll("\\(.*", "");
      String text =
          switch (result.getStatus()) {
            case SUCCESSFUL -> "passed";
            case ABORTED ->
                "aborted: " + result.getThrowable().map(Throwable::getMessage).orElse("");
            case FAILED -> "failed: " + result.getThrowable().map(String::valueOf).orElse("");
          };
      results.put(name, text);
    }
  }
}
