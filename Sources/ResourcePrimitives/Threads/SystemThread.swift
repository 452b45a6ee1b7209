#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Foundation
#endif

/// A thread for work that blocks.
///
/// On Linux it is one of POSIX. Foundation's `Thread` brings the tables of ICU with it, which would
/// be most of a small static program.
package enum SystemThread {}

#if canImport(Glibc) || canImport(Musl)
  extension SystemThread {
    /// Starts a thread that does some work and ends.
    ///
    /// - Parameter stackSize: The size of its stack in bytes; `nil` for the system's default.
    /// - Returns: Whether the process could create another thread. If not, nothing is called.
    @discardableResult
    package static func start(
      stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void
    ) -> Bool {
      guard let thread = create(stackSize: stackSize, work) else { return false }
      pthread_detach(thread)
      return true
    }

    /// Creates a thread that has to be joined or detached; `nil` if the process can't create
    /// another one.
    static func create(
      stackSize: Int?, _ work: @escaping @Sendable () -> Void
    ) -> pthread_t? {
      var thread = pthread_t()
      // The thread releases it, or this function if there is none. The attributes are initialised
      // before they are used.
      let job = unsafe Unmanaged.passRetained(Job(work: work))
      let code = unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) {
        room in
        guard let attributes = room.baseAddress else { return ENOMEM }
        unsafe pthread_attr_init(attributes)
        defer { unsafe pthread_attr_destroy(attributes) }
        if let stackSize { unsafe pthread_attr_setstacksize(attributes, stackSize) }
        return unsafe pthread_create(
          &thread, attributes,
          { job in
            if let job = unsafe job {
              unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work()
            }
            return nil
          }, job.toOpaque())
      }
      guard code == 0 else {
        unsafe job.release()
        return nil
      }
      return thread
    }

    /// The calling thread, for as long as it runs.
    package static var current: UInt { UInt(pthread_self()) }

    private final class Job: Sendable {
      let work: @Sendable () -> Void

      init(work: @escaping @Sendable () -> Void) { self.work = work }
    }
  }
#else
  extension SystemThread {
    /// Starts a thread that does some work and ends.
    @discardableResult
    package static func start(
      stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void
    ) -> Bool {
      let thread = Thread(block: work)
      if let stackSize { thread.stackSize = stackSize }
      thread.start()
      return true
    }

    /// The calling thread, for as long as it runs.
    package static var current: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }
  }
#endif
