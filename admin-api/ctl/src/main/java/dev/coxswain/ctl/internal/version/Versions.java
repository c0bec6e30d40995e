// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.version;

import java.lang.module.ModuleDescriptor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which versions are promised to work together: those of one minor release and of the next one, as
 * VERSIONING.md has it.
 *
 * <p>Thread rule: stateless.
 */
final class Versions {

  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})(?:\\D.*)?");

  private Versions() {}

  /** Returns the version of this program; {@code dev} when it runs from classes. */
  static String own() {
    ModuleDescriptor module = Versions.class.getModule().getDescriptor();
    String version =
        module == null
            ? Versions.class.getPackage().getImplementationVersion() // of the jar
            : module.rawVersion().orElse(null); // in a run-time image of Java there are no jars
    return version == null ? "dev" : version;
  }

  /** Returns whether two versions may be used together; true when one is no number. */
  static boolean fit(String one, String other) {
    Matcher a = NUMBERS.matcher(one);
    Matcher b = NUMBERS.matcher(other);
    return !a.matches()
        || !b.matches()
        || (Integer.parseInt(a.group(1)) == Integer.parseInt(b.group(1))
            && Math.abs(Integer.parseInt(a.group(2)) - Integer.parseInt(b.group(2))) <= 1);
  }
}
