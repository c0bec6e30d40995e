// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static dev.coxswain.host.internal.config.ConfigurationLoader.DNS_LABEL;
import static dev.coxswain.host.internal.config.ConfigurationLoader.DNS_NAME;
import static dev.coxswain.host.internal.config.ConfigurationLoader.MAX_PORT;
import static dev.coxswain.retry.RetryBudget.MAX_BURST;
import static dev.coxswain.retry.RetryBudget.MAX_RATE;
import static dev.coxswain.retry.RetryBudget.MIN_CONFIGURED_RATE;

import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.reader.Section;
import dev.coxswain.limiter.internal.ClusterSecret;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the sections {@code limiters} and {@code sharedLimiter}, with the checks across them.
 */
final class LimiterSections {

  private static final Pattern MEMBER = Pattern.compile("[A-Za-z0-9.:_\\[\\]-]{1,253}:\\d{1,5}");
  private static final int MAX_MEMBERS = 100;

  private LimiterSections() {}

  static Map<String, Limiter> limiters(Section section) {
    Map<String, Limiter> result = new LinkedHashMap<>();
    result.put(
        ControllerOptions.DEFAULT_BUDGET,
        new Limiter(RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST));
    result.putAll(
        section.each(
            DNS_LABEL, "the name of a limiter: use a-z, 0-9 and '-'", LimiterSections::limiter));
    return result;
  }

  private static Limiter limiter(Section section) {
    double rate = section.number("rate", MIN_CONFIGURED_RATE, MAX_RATE, RetryBudget.DEFAULT_RATE);
    int burst = section.integer("burst", 1, MAX_BURST, RetryBudget.DEFAULT_BURST);
    double maxRate = section.number("maxRate", MIN_CONFIGURED_RATE, MAX_RATE, rate);
    int maxBurst = section.integer("maxBurst", 1, MAX_BURST, burst);
    if (maxRate < rate) {
      section.fault("maxRate", "a number not smaller than rate");
    }
    if (maxBurst < burst) {
      section.fault("maxBurst", "a number not smaller than burst");
    }
    return new Limiter(rate, burst, Math.max(rate, maxRate), Math.max(burst, maxBurst));
  }

  static SharedLimiter sharedLimiter(Section section) {
    SharedLimiter result =
        new SharedLimiter(
            section.flag("enabled", false),
            section.integer("port", 0, MAX_PORT, MemberOptions.DEFAULT_PORT),
            section.texts("members", MEMBER, "addresses such as 10.0.0.7:5701", MAX_MEMBERS),
            section.text("service", DNS_NAME, "the DNS name of a Service", ""),
            section.text("clusterName", DNS_NAME, "a name", "coxswain"),
            secret(section),
            section.text("clusterSecretFile"),
            section.number(
                "floorShare", 0, ClusterShape.MAX_FLOOR_SHARE, MemberOptions.DEFAULT_FLOOR_SHARE));
    if (result.clusterSecret() != null && result.clusterSecretFile() != null) {
      section.fault("clusterSecretFile", "either clusterSecret or clusterSecretFile, not both");
    }
    if (!result.members().isEmpty() && !result.service().isEmpty()) {
      section.fault("service", "either members or service, not both");
    }
    if (result.enabled() && result.members().isEmpty() && result.service().isEmpty()) {
      section.fault("enabled", "members or service as well, for the replicas to find each other");
    }
    if (!result.service().isEmpty() && result.port() == 0) {
      section.fault("port", "a port: with a service all members have the same one");
    }
    return result;
  }

  /** Reads a secret; messages never contain its value. */
  private static @Nullable ClusterSecret secret(Section section) {
    String value = section.text("clusterSecret");
    if (value == null) {
      return null;
    }
    try {
      return ClusterSecret.of(value);
    } catch (IllegalArgumentException e) {
      section.fault(
          "clusterSecret",
          "a secret of %s to %s characters"
              .formatted(ClusterSecret.MIN_LENGTH, ClusterSecret.MAX_LENGTH));
      return null;
    }
  }

  /** Reports contradictions between sections, by the full path of the key. */
  static void check(Section root, CoxswainConfiguration configuration) {
    if (!configuration.sharedLimiter().enabled()) {
      return;
    }
    configuration
        .controllers()
        .forEach((name, settings) -> {
          if (settings.composition() == Composition.MAX_OF) {
            root.faultAt(
                "expected admission or backoffOnly: with sharedLimiter.enabled tokens cannot be"
                    + " reserved",
                "controllers",
                name,
                "composition");
          }
        });
    if (configuration.membership().maxReplicas() > ClusterShape.MAX_REPLICAS) {
      root.faultAt(
          "expected at most %s with sharedLimiter.enabled: each replica has a part of the budget of its own, and members compare themselves with all others"
              .formatted(ClusterShape.MAX_REPLICAS),
          "membership",
          "maxReplicas");
    }
    if (!root.clean()) {
      return; // the rest needs valid single values
    }
    MemberOptions options;
    try {
      options = configuration.memberOptions();
    } catch (IllegalArgumentException e) {
      root.refused(e);
      return;
    }
    configuration
        .limiters()
        .forEach((name, limiter) -> {
          try {
            options.check(limiter.spec(name));
          } catch (IllegalArgumentException e) {
            root.refused(e);
          }
        });
  }
}
