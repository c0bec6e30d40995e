// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

/** Runs the controllers of a peer until the driver ends: {@code PeerMain CLASS}. Depends on the JDK only. */
public final class PeerMain {
  private PeerMain() {}

  /** Starts the controllers of the named {@link PeerControllers}; ends the process when that fails. */
  public static void main(String[] args) throws InterruptedException {
    SubjectSettings settings = SubjectSettings.read();
    try {
      Class.forName(args[0])
          .asSubclass(PeerControllers.class)
          .getDeclaredConstructor()
          .newInstance()
          .start(settings, Probe.connect(settings));
    } catch (Exception | LinkageError e) {
      e.printStackTrace();
      System.exit(1);
    }
    Thread.currentThread().join(); // until the probe ends the process
  }
}
